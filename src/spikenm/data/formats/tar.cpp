#include "spikenm/data/formats/tar.h"

#include "spikenm/data/formats/member_name.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace spikenm::data {
namespace {

constexpr size_t kBlock = 512;

// Text up to the first NUL.
std::string_view until_nul(Bytes field) {
  const std::string_view text = as_text(field);
  return text.substr(0, text.find('\0'));
}

// A member's header: one block, with the fields at fixed places.
class Header {
 public:
  Header(Bytes block, size_t offset, const std::string& source)
      : block_(block), offset_(offset), source_(source) {
    check_sum();
  }

  [[nodiscard]] char type() const { return static_cast<char>(block_[156]); }
  [[nodiscard]] uint64_t size() const { return number(124, 12, "size"); }

  [[nodiscard]] std::string name() const {
    const std::string_view name = until_nul(block_.subspan(0, 100));
    // GNU's format ("ustar  ") has other fields at the place of ustar's prefix.
    const bool ustar = as_text(block_.subspan(257, 6)) == std::string_view("ustar\0", 6);
    const std::string_view prefix = until_nul(block_.subspan(345, ustar ? 155 : 0));
    return prefix.empty() ? std::string(name) : fmt::format("{}/{}", prefix, name);
  }

 private:
  // Octal text after spaces, ended by a space or NUL; or big-endian bytes if the top bit is set.
  [[nodiscard]] uint64_t number(size_t at, size_t size, std::string_view what) const {
    const Bytes field = block_.subspan(at, size);
    uint64_t value = 0;
    if ((field[0] & 0x80) != 0) {
      const uint8_t* last = field.data() + field.size() - 8;
      const bool small =
          field[0] == 0x80 && std::all_of(field.data() + 1, last, [](auto b) { return b == 0; });
      value = load_be<uint64_t>(last);
      SPIKENM_CHECK(small && value <= INT64_MAX, "{}: the {} of the member at byte {} is too large",
                    source_, what, offset_);
      return value;
    }

    std::string_view text = until_nul(field);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    text = text.substr(0, text.find(' '));
    const auto [stop, error] = std::from_chars(text.begin(), text.end(), value, 8);
    SPIKENM_CHECK(text.empty() || (error == std::errc() && stop == text.end()),
                  "{}: the {} of the member at byte {} is '{}', wanted an octal number", source_,
                  what, offset_, excerpt(text));
    return value;
  }

  // The checksum is the sum of the header's bytes, its own bytes counted as spaces. Old programs
  // added signed bytes.
  void check_sum() const {
    uint64_t plain = 8 * ' ';
    int64_t with_sign = 8 * ' ';
    for (size_t i = 0; i < kBlock; ++i) {
      if (148 <= i && i < 156) continue;
      plain += block_[i];
      with_sign += static_cast<int8_t>(block_[i]);
    }

    const uint64_t stored = number(148, 8, "checksum");
    SPIKENM_CHECK(stored == plain || static_cast<int64_t>(stored) == with_sign,
                  "{}: not a tar archive, or a damaged one: the header at byte {} has checksum {}, "
                  "wanted {}",
                  source_, offset_, stored, plain);
  }

  Bytes block_;
  size_t offset_;
  const std::string& source_;
};

// Values that extra headers before a member's header give for it.
struct Overrides {
  std::optional<std::string> name;
  std::optional<uint64_t> size;
};

// Records "length key=value\n"; the length counts itself.
void read_pax(Bytes records, Overrides& overrides, const std::string& source) {
  for (std::string_view rest = as_text(records); !rest.empty();) {
    size_t length = 0;
    const auto [stop, error] = std::from_chars(rest.begin(), rest.end(), length);
    const size_t key = static_cast<size_t>(stop - rest.begin()) + 1;
    SPIKENM_CHECK(error == std::errc() && key < length && length <= rest.size() &&
                      rest[key - 1] == ' ' && rest[length - 1] == '\n',
                  "{}: damaged: found a bad pax record '{}'", source, excerpt(rest));

    const std::string_view record = rest.substr(key, length - 1 - key);
    const size_t equals = record.find('=');
    SPIKENM_CHECK(equals != record.npos, "{}: damaged: pax record '{}' has no '='", source,
                  excerpt(record));
    const std::string_view name = record.substr(0, equals), value = record.substr(equals + 1);
    SPIKENM_CHECK(!name.starts_with("GNU.sparse"), "{}: has sparse members, wanted whole ones",
                  source);

    if (name == "path") overrides.name = value;
    if (name == "size") {
      uint64_t size = 0;
      const auto [end, bad] = std::from_chars(value.begin(), value.end(), size);
      SPIKENM_CHECK(bad == std::errc() && end == value.end() && size <= INT64_MAX,
                    "{}: damaged: found pax size '{}'", source, excerpt(value));
      overrides.size = size;
    }
    rest.remove_prefix(length);
  }
}

bool is_regular(char type) {
  return type == '0' || type == '\0' || type == '7';
}
// Links, devices, folders and pipes: no bytes follow, whatever their size field says.
bool has_no_content(char type) {
  return '1' <= type && type <= '6';
}

std::string clean_name(std::string name) {
  while (name.starts_with("./"))
    name.erase(0, std::min(name.find_first_not_of('/', 1), name.size()));
  return name;
}

// A member's content, and the padding to whole blocks after it.
Bytes take_content(ByteReader& reader, uint64_t size) {
  const Bytes content = reader.take(size, "a member's content");
  reader.take((kBlock - size % kBlock) % kBlock, "a member's padding");
  return content;
}

// Adds a regular file and skips everything else.
void add_member(std::vector<TarMember>& members, ByteReader& reader, const Header& header,
                const Overrides& overrides) {
  const char type = header.type();
  if (has_no_content(type)) return;
  const Bytes content = take_content(reader, overrides.size.value_or(header.size()));
  std::string name = overrides.name.value_or(header.name());
  if (!is_regular(type) || name.ends_with('/')) return;  // v7 marks a folder only by its name
  name = clean_name(std::move(name));
  SPIKENM_CHECK(!is_unsafe_name(name), "{}: member '{}' has a name that may lead elsewhere",
                reader.source(), excerpt(name));
  members.push_back({std::move(name), content});
}

void check_distinct(const std::vector<TarMember>& members, std::string_view source) {
  std::vector<std::string_view> names;
  for (const TarMember& member : members) names.push_back(member.name);
  std::sort(names.begin(), names.end());
  const auto twin = std::adjacent_find(names.begin(), names.end());
  SPIKENM_CHECK(twin == names.end(), "{}: two members are called '{}'", source, excerpt(*twin));
}

}  // namespace

std::vector<TarMember> read_tar(Bytes tar, std::string_view source) {
  std::vector<TarMember> members;
  ByteReader reader(tar, source);
  Overrides overrides;
  for (;;) {
    const size_t offset = reader.offset();
    const Bytes block = reader.take(kBlock, "a header or the end mark");
    if (std::all_of(block.begin(), block.end(), [](uint8_t byte) { return byte == 0; })) break;
    const Header header(block, offset, reader.source());

    switch (header.type()) {
      case 'L':  // GNU: the next member's long name
        overrides.name = until_nul(take_content(reader, header.size()));
        break;
      case 'x':  // pax, and its predecessor on Solaris
      case 'X':
        read_pax(take_content(reader, header.size()), overrides, reader.source());
        break;
      case 'K':  // the target of a link, and attributes of the whole archive
      case 'g':
        take_content(reader, header.size());
        break;
      case 'S':
        fail("{}: has sparse members, wanted whole ones", source);
      default:
        add_member(members, reader, header, overrides);
        overrides = {};
    }
  }
  check_distinct(members, source);
  return members;
}

}  // namespace spikenm::data
