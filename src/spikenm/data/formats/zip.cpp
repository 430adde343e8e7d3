#include "spikenm/data/formats/zip.h"

#include "spikenm/data/formats/inflate.h"
#include "spikenm/data/formats/member_name.h"

#include <zlib.h>

#include <algorithm>

namespace spikenm::data {
namespace {

// Signatures of records, all little-endian, and their lengths without names, extra fields and
// comments.
constexpr uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50;
constexpr uint32_t kEnd = 0x06054b50, kZip64Locator = 0x07064b50, kZip64End = 0x06064b50;
constexpr uint64_t kLocalHeaderSize = 30, kEntrySize = 46;
constexpr size_t kEndSize = 22, kLocatorSize = 20, kZip64EndSize = 56;
constexpr size_t kMaxComment = UINT16_MAX;

constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint16_t kEncrypted = 1 | 1 << 6 | 1 << 13;  // plain, strong, masked headers
constexpr uint16_t kZip64Extra = 1;
constexpr uint32_t kInZip64 = UINT32_MAX;  // a 32-bit field whose value is in the zip64 record

constexpr uint64_t kMaxRatio = 1032;  // of deflate: 258 bytes from 2 bits

struct Directory {
  uint64_t entries, size, offset;
};

// The end record is the last thing in the file, except for its comment.
size_t find_end(Bytes bytes, const std::string& source) {
  const size_t lowest = bytes.size() - std::min(bytes.size(), kEndSize + kMaxComment);
  for (size_t at = bytes.size(); at >= lowest + kEndSize; --at) {
    const uint8_t* record = bytes.data() + at - kEndSize;
    if (load_le<uint32_t>(record) == kEnd && load_le<uint16_t>(record + 20) == bytes.size() - at)
      return at - kEndSize;
  }
  fail("{}: not a zip archive, or a cut one: no end record found", source);
}

Directory read_zip64_end(Bytes bytes, size_t end, const std::string& source) {
  ByteReader locator(bytes.subspan(end - kLocatorSize, kLocatorSize), source);
  locator.take(8, "signature and disk");
  const auto at = locator.le<uint64_t>("offset");
  SPIKENM_CHECK(at <= end - kLocatorSize && end - kLocatorSize - at >= kZip64EndSize,
                "{}: the zip64 end record at byte {} lies outside the archive", source, at);

  ByteReader record(bytes.subspan(at, kZip64EndSize), source);
  SPIKENM_CHECK(record.le<uint32_t>("signature") == kZip64End,
                "{}: no zip64 end record at byte {}, where one was announced", source, at);
  record.take(8 + 2 + 2 + 4 + 4 + 8, "size, versions, disks and entries on this disk");

  Directory directory{};
  directory.entries = record.le<uint64_t>("entries");
  directory.size = record.le<uint64_t>("directory size");
  directory.offset = record.le<uint64_t>("directory offset");
  return directory;
}

Directory read_end(Bytes bytes, size_t end, const std::string& source) {
  ByteReader record(bytes.subspan(end, kEndSize), source);
  record.take(4, "signature");
  const auto disk = record.le<uint16_t>("disk");
  const auto first_disk = record.le<uint16_t>("first disk");
  record.take(2, "entries on this disk");

  Directory directory{};
  directory.entries = record.le<uint16_t>("entries");
  directory.size = record.le<uint32_t>("directory size");
  directory.offset = record.le<uint32_t>("directory offset");

  const bool full =
      directory.entries == UINT16_MAX || directory.size == kInZip64 || directory.offset == kInZip64;
  const bool located =
      end >= kLocatorSize && load_le<uint32_t>(&bytes[end - kLocatorSize]) == kZip64Locator;
  if (full && located) return read_zip64_end(bytes, end, source);
  SPIKENM_CHECK(disk == 0 && first_disk == 0, "{}: one of several volumes, wanted a whole archive",
                source);
  return directory;
}

// The zip64 extra field holds those of size, packed and begin, in this order, that did not fit
// their 32-bit fields.
void read_extra(Bytes extra, ZipMember& member, const std::string& source) {
  const bool wanted =
      member.size == kInZip64 || member.packed == kInZip64 || member.begin == kInZip64;

  // If nothing is needed from the extra fields, they are not read: real files have wrong lengths
  // there.
  for (ByteReader reader(extra, source); wanted && reader.left() > 0;) {
    const auto id = reader.le<uint16_t>("extra field");
    const Bytes field = reader.take(reader.le<uint16_t>("extra field"), "extra field");
    if (id != kZip64Extra) continue;
    ByteReader values(field, source);
    for (uint64_t* value : {&member.size, &member.packed, &member.begin}) {
      if (*value == kInZip64) *value = values.le<uint64_t>("zip64 extra field");
    }
    return;
  }
}

ZipMember read_entry(ByteReader& reader) {
  const std::string& source = reader.source();
  SPIKENM_CHECK(reader.le<uint32_t>("directory entry") == kDirectoryEntry,
                "{}: damaged: no entry at byte {} of the directory", source, reader.offset() - 4);

  ZipMember member;
  reader.take(4, "versions");
  member.flags = reader.le<uint16_t>("flags");
  member.method = reader.le<uint16_t>("method");
  reader.take(4, "time and date");
  member.crc = reader.le<uint32_t>("crc");
  member.packed = reader.le<uint32_t>("packed size");
  member.size = reader.le<uint32_t>("size");
  const auto name_size = reader.le<uint16_t>("name length");
  const auto extra_size = reader.le<uint16_t>("extra length");
  const auto comment_size = reader.le<uint16_t>("comment length");
  reader.take(2 + 2 + 4, "disk and attributes");
  member.begin = reader.le<uint32_t>("local header offset");
  member.name = as_text(reader.take(name_size, "name"));
  read_extra(reader.take(extra_size, "extra fields"), member, source);
  reader.take(comment_size, "comment");
  SPIKENM_CHECK(!is_unsafe_name(member.name), "{}: member '{}' has a name that may lead elsewhere",
                source, excerpt(member.name));
  return member;
}

// Sets the end of each member: the begin of the next one, or of the directory.
void separate(std::vector<ZipMember>& members, uint64_t directory, const std::string& source) {
  std::vector<ZipMember*> by_place;
  for (ZipMember& member : members) by_place.push_back(&member);
  std::sort(by_place.begin(), by_place.end(),
            [](const ZipMember* a, const ZipMember* b) { return a->begin < b->begin; });

  for (size_t i = 0; i < by_place.size(); ++i) {
    ZipMember& member = *by_place[i];
    member.end = i + 1 < by_place.size() ? by_place[i + 1]->begin : directory;
    const uint64_t header = kLocalHeaderSize + member.name.size();
    SPIKENM_CHECK(member.begin <= member.end && member.end <= directory &&
                      member.end - member.begin >= header &&
                      member.end - member.begin - header >= member.packed,
                  "{}: member '{}' of {} packed bytes does not fit its place at byte {}", source,
                  excerpt(member.name), member.packed, member.begin);
  }
}

// zlib's crc32_z takes lengths of 64 bits.
void check_crc(Bytes content, const ZipMember& member, const std::string& source) {
  const auto crc = static_cast<uint32_t>(crc32_z(0, content.data(), content.size()));
  SPIKENM_CHECK(crc == member.crc, "{}: member '{}' is damaged: its crc is {:08x}, wanted {:08x}",
                source, excerpt(member.name), crc, member.crc);
}

}  // namespace

ZipReader::ZipReader(Bytes bytes, std::string_view source, UnpackLimit limit)
    : bytes_(bytes), source_(source), limit_(std::move(limit)) {
  const size_t end = find_end(bytes, source_);
  const Directory directory = read_end(bytes, end, source_);
  SPIKENM_CHECK(directory.offset <= end && directory.size <= end - directory.offset,
                "{}: its directory of {} bytes at byte {} does not fit the archive", source_,
                directory.size, directory.offset);
  SPIKENM_CHECK(directory.entries <= directory.size / kEntrySize,
                "{}: claims {} members, more than its directory of {} bytes can list", source_,
                directory.entries, directory.size);

  ByteReader reader(bytes.subspan(directory.offset, directory.size), source_);
  for (uint64_t i = 0; i < directory.entries; ++i) members_.push_back(read_entry(reader));
  SPIKENM_CHECK(reader.at_end(), "{}: its directory has {} bytes more than its {} members take",
                source_, reader.left(), directory.entries);

  separate(members_, directory.offset, source_);
  std::erase_if(members_, [](const ZipMember& member) { return member.name.back() == '/'; });
  for (size_t i = 0; i < members_.size(); ++i) {
    SPIKENM_CHECK(by_name_.emplace(members_[i].name, i).second, "{}: two members are called '{}'",
                  source_, excerpt(members_[i].name));
  }
}

const ZipMember* ZipReader::find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &members_[it->second];
}

Bytes ZipReader::content(const ZipMember& member) const {
  SPIKENM_ASSERT(member.begin <= member.end && member.end <= bytes_.size());
  const std::string source = fmt::format("{}: member '{}'", source_, excerpt(member.name));
  ByteReader reader(bytes_.subspan(member.begin, member.end - member.begin), source);
  SPIKENM_CHECK(reader.le<uint32_t>("local header") == kLocalHeader,
                "{}: damaged: no local header at byte {}", source, member.begin);

  reader.take(2, "version");
  const auto flags = reader.le<uint16_t>("flags");
  const auto method = reader.le<uint16_t>("method");
  // Sizes and crc may be 0 here, or 2^32-1 in zip64; the directory always has the true values.
  reader.take(2 + 2 + 4 + 4 + 4, "time, date, crc and sizes");
  const auto name_size = reader.le<uint16_t>("name length");
  const auto extra_size = reader.le<uint16_t>("extra length");
  const std::string_view name = as_text(reader.take(name_size, "name"));

  SPIKENM_CHECK(name == member.name && method == member.method,
                "{}: damaged: its local header is that of '{}', method {}", source, excerpt(name),
                method);
  SPIKENM_CHECK(((flags | member.flags) & kEncrypted) == 0, "{}: is encrypted", source);
  SPIKENM_CHECK(method == kStored || method == kDeflated,
                "{}: packed by method {}, wanted 0 (stored) or 8 (deflated)", source, method);

  const size_t most = limit_.of(bytes_.size());
  if (member.size > most) refuse_unpacking(source, most, limit_);
  SPIKENM_CHECK(method != kStored || member.size == member.packed,
                "{}: stored in {} bytes, wanted {}", source, member.packed, member.size);
  SPIKENM_CHECK(member.size / kMaxRatio <= member.packed,
                "{}: claims {} bytes from {} packed ones, more than deflate can give", source,
                member.size, member.packed);
  reader.take(extra_size, "extra fields");
  return reader.take(member.packed, "content");
}

std::string ZipReader::read(const ZipMember& member) const {
  const Bytes packed = content(member);
  std::string out =
      member.method == kStored
          ? std::string(as_text(packed))
          : inflate_raw(packed, member.size,
                        fmt::format("{}: member '{}'", source_, excerpt(member.name)));
  check_crc(as_bytes(out), member, source_);
  return out;
}

Bytes ZipReader::view(const ZipMember& member) const {
  const Bytes stored = content(member);
  SPIKENM_CHECK(member.method == kStored, "{}: member '{}' is packed, wanted a stored one", source_,
                excerpt(member.name));
  check_crc(stored, member, source_);
  return stored;
}

}  // namespace spikenm::data
