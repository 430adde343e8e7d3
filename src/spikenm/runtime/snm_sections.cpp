#include "spikenm/runtime/snm_sections.h"

#include "spikenm/core/crc32c.h"
#include "spikenm/core/say.h"

#include <algorithm>
#include <cstring>

namespace spikenm::runtime {
namespace {

// A byte that is no ASCII, and both kinds of line ends: a transfer that changes text breaks it.
constexpr uint8_t kMagic[8] = {0x89, 'S', 'N', 'M', '\r', '\n', 0x1A, '\n'};
constexpr size_t kHeaderBytes = 24, kEntryBytes = 32;
constexpr uint32_t kMostSections = 100'000;  // a graph has at most 5000 nodes

struct Entry {
  SectionKind kind;
  uint32_t node = 0;
  uint64_t offset = 0, size = 0;
  uint32_t sum = 0;
};

size_t aligned(size_t at) {
  return (at + kSectionAlign - 1) / kSectionAlign * kSectionAlign;
}

template <class T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The header's own sum covers all that stands before and behind it: version, count and table.
uint32_t header_sum(Bytes header, Bytes table) {
  return crc32c(table, crc32c(header.first(kHeaderBytes - sizeof(uint32_t))));
}

void check_zero(ByteReader& reader) {
  const auto found = reader.le<uint32_t>("zeros");
  SPIKENM_CHECK(found == 0, "{}: found {} where the format has a zero", reader.source(), found);
}

Entry read_entry(ByteReader& reader) {
  Entry entry;
  const Bytes letters = reader.take(4, "a section's kind");
  std::memcpy(entry.kind.letters, letters.data(), 4);
  entry.node = reader.le<uint32_t>("a section's node");
  entry.offset = reader.le<uint64_t>("a section's offset");
  entry.size = reader.le<uint64_t>("a section's size");
  entry.sum = reader.le<uint32_t>("a section's checksum");
  check_zero(reader);
  return entry;
}

// Where the section must begin: sections follow each other, aligned.
void check_place(const Entry& entry, size_t wanted, size_t file_size, const std::string& source) {
  const std::string kind = printable(entry.kind.text());
  SPIKENM_CHECK(entry.offset == wanted, "{}: section {} of node {} begins at byte {}, wanted {}",
                source, kind, entry.node, entry.offset, wanted);
  SPIKENM_CHECK(entry.offset <= file_size && entry.size <= file_size - entry.offset,
                "{}: cut short: section {} of node {} needs {} bytes from byte {}, and the file "
                "has {}",
                source, kind, entry.node, entry.size, entry.offset, file_size);
}

}  // namespace

std::string encode_sections(const std::vector<Section>& sections, uint32_t version) {
  std::string table;
  size_t at = aligned(kHeaderBytes + sections.size() * kEntryBytes);
  for (const Section& section : sections) {
    table.append(section.kind.text());
    put(table, section.node);
    put(table, static_cast<uint64_t>(at));
    put(table, static_cast<uint64_t>(section.bytes.size()));
    put(table, crc32c(section.bytes));
    put(table, uint32_t{0});
    at = aligned(at + section.bytes.size());
  }

  std::string out(reinterpret_cast<const char*>(kMagic), sizeof kMagic);
  put(out, version);
  put(out, static_cast<uint32_t>(sections.size()));
  put(out, uint32_t{0});
  out.append(sizeof(uint32_t), '\0');
  const uint32_t sum = header_sum(as_bytes(out), as_bytes(table));
  std::memcpy(out.data() + kHeaderBytes - sizeof sum, &sum, sizeof sum);

  out += table;
  for (const Section& section : sections) {
    out.resize(aligned(out.size()));
    out.append(as_text(section.bytes));
  }
  return out;
}

std::vector<Section> decode_sections(Bytes bytes, const std::string& source) {
  ByteReader reader(bytes, source);
  const Bytes magic = reader.take(sizeof kMagic, "the beginning of a .snm file");
  SPIKENM_CHECK(std::equal(magic.begin(), magic.end(), kMagic), "{}: found no .snm file", source);
  const auto version = reader.le<uint32_t>("the version");
  SPIKENM_CHECK(version >= 1 && version <= kSnmVersion,
                "{}: found version {} of the .snm format, wanted 1 to {}; a newer spikenm may read "
                "it",
                source, version, kSnmVersion);
  const auto count = reader.le<uint32_t>("the number of sections");
  SPIKENM_CHECK(count <= kMostSections, "{}: found {} sections, wanted at most {}", source, count,
                kMostSections);
  check_zero(reader);
  const auto wanted_sum = reader.le<uint32_t>("the header's checksum");
  const Bytes table = reader.take(count * kEntryBytes, "the table of sections");
  const uint32_t sum = header_sum(bytes.first(kHeaderBytes), table);
  SPIKENM_CHECK(sum == wanted_sum,
                "{}: header: found the checksum {:08x}, wanted {:08x}: the file is damaged", source,
                sum, wanted_sum);

  std::vector<Section> sections;
  ByteReader entries(table, source);
  size_t at = kHeaderBytes + table.size(), end = at;
  for (uint32_t i = 0; i < count; ++i) {
    const Entry entry = read_entry(entries);
    at = aligned(end);
    check_place(entry, at, bytes.size(), source);
    SPIKENM_CHECK(version >= 2 || entry.kind != kBitsSection,
                  "{}: found section {} of node {} in version {}, wanted it in 2 or later", source,
                  entry.kind.text(), entry.node, version);
    for (const uint8_t gap : bytes.subspan(end, at - end))
      SPIKENM_CHECK(gap == 0, "{}: found a byte {} between sections, wanted 0", source, gap);
    const Bytes own = bytes.subspan(at, entry.size);
    const uint32_t found = crc32c(own);
    SPIKENM_CHECK(found == entry.sum,
                  "{}: section {} of node {}: found the checksum {:08x}, wanted {:08x}: the file "
                  "is damaged",
                  source, printable(entry.kind.text()), entry.node, found, entry.sum);
    sections.push_back({.kind = entry.kind, .node = entry.node, .bytes = own});
    end = at + entry.size;
  }
  SPIKENM_CHECK(end == bytes.size(), "{}: {} bytes follow the last section", source,
                bytes.size() - end);
  return sections;
}

void fit_sums(std::string& file) {
  if (file.size() < kHeaderBytes) return;
  const auto write = [&](size_t at, uint32_t sum) { std::memcpy(&file[at], &sum, sizeof sum); };
  const auto* const bytes = reinterpret_cast<const uint8_t*>(file.data());
  const auto count = load_le<uint32_t>(bytes + 12);
  const size_t room = (file.size() - kHeaderBytes) / kEntryBytes;
  if (count > room) return;
  for (size_t i = 0; i < count; ++i) {
    const size_t entry = kHeaderBytes + i * kEntryBytes;
    const auto offset = load_le<uint64_t>(bytes + entry + 8);
    const auto size = load_le<uint64_t>(bytes + entry + 16);
    if (offset <= file.size() && size <= file.size() - offset)
      write(entry + 24, crc32c(as_bytes(file).subspan(offset, size)));
  }
  const Bytes whole = as_bytes(file);
  write(kHeaderBytes - 4,
        header_sum(whole.first(kHeaderBytes), whole.subspan(kHeaderBytes, count * kEntryBytes)));
}

}  // namespace spikenm::runtime
