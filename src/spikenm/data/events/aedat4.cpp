#include "spikenm/data/events/aedat4.h"

#include "spikenm/data/events/flat_table.h"
#include "spikenm/data/events/sensor.h"
#include "spikenm/data/events/unpacker.h"
#include "spikenm/data/formats/member_name.h"

#include <charconv>
#include <map>

namespace spikenm::data {
namespace {

constexpr std::string_view kVersion = "#!AER-DAT4.0\r\n";
// Little-endian i64 time in µs, i16 x, i16 y, bool on, 3 unused.
constexpr size_t kEventSize = 16;
constexpr int32_t kMaxSide = 1 << 15;
constexpr size_t kMaxPath = 256;  // of a node in the info; DV's are far shorter

// The value of attribute `name` in a tag such as `node name="0" path="/outInfo/0/"`.
std::string_view tag_attribute(std::string_view tag, const std::string& name) {
  const size_t at = tag.find(" " + name + "=\"");
  if (at == std::string_view::npos) return {};
  tag.remove_prefix(at + name.size() + 3);
  return tag.substr(0, tag.find('"'));
}

// DV's info: <node path="/outInfo/0/"> … <attr key="sizeX" type="int">640</attr> … </node>, nested.
// Gives path + key -> text, "/outInfo/0/info/sizeX" -> "640".
std::map<std::string, std::string> read_info(std::string_view xml) {
  std::map<std::string, std::string> values;
  std::vector<std::string_view> paths;
  for (size_t open = xml.find('<'); open != std::string_view::npos; open = xml.find('<')) {
    xml.remove_prefix(open + 1);
    const size_t close = xml.find('>');
    if (close == std::string_view::npos) break;
    const std::string_view tag = xml.substr(0, close);
    xml.remove_prefix(close + 1);
    if (tag.starts_with("node ")) {
      if (!tag.ends_with('/')) paths.push_back(tag_attribute(tag, "path").substr(0, kMaxPath));
    } else if (tag == "/node") {
      if (!paths.empty()) paths.pop_back();
    } else if (tag.starts_with("attr ") && !paths.empty()) {
      values[std::string(paths.back()) + std::string(tag_attribute(tag, "key"))] =
          xml.substr(0, xml.find('<'));
    }
  }
  return values;
}

struct Stream {
  int32_t id = 0, width = 0, height = 0;  // a size of 0: not stated
};

int32_t to_number(const std::string& text, std::string_view source) {
  int32_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  SPIKENM_CHECK(
      error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= kMaxSide,
      "{}: found '{}' in its stream list, wanted a number up to {}", source, printable(text),
      kMaxSide);
  return value;
}

Stream find_event_stream(std::string_view xml, std::string_view source) {
  constexpr std::string_view kRoot = "/outInfo/", kType = "/typeIdentifier";
  const std::map<std::string, std::string> info = read_info(xml);
  int32_t first = -1;
  for (const auto& [path, text] : info) {
    if (text != "EVTS" || !path.starts_with(kRoot) || !path.ends_with(kType)) continue;
    if (path.size() <= kRoot.size() + kType.size()) continue;
    const size_t n = path.size() - kRoot.size() - kType.size();
    const int32_t id = to_number(path.substr(kRoot.size(), n), source);
    if (first < 0 || id < first) first = id;
  }
  SPIKENM_CHECK(first >= 0, "{}: found no event stream in its stream list, wanted type EVTS",
                source);
  const auto side = [&](const char* key) {
    const auto it = info.find(fmt::format("{}{}/info/{}", kRoot, first, key));
    return it == info.end() ? 0 : to_number(it->second, source);
  };
  return {first, side("sizeX"), side("sizeY")};
}

Unpacker::Method method_of(int32_t compression, std::string_view source) {
  using Method = Unpacker::Method;
  // None, LZ4, LZ4 high, zstd, zstd high.
  constexpr Method kMethods[] = {Method::kNone, Method::kLz4, Method::kLz4, Method::kZstd,
                                 Method::kZstd};
  SPIKENM_CHECK(compression >= 0 && compression < 5,
                "{}: found compression {}, wanted 0 to 4 (none, LZ4, zstd)", source, compression);
  return kMethods[compression];
}

// Bytes behind the size that leads a FlatBuffer, and that size itself.
Bytes take_sized(ByteReader& reader, std::string_view what) {
  ByteReader ahead = reader;
  const uint32_t size = ahead.le<uint32_t>(what);
  return reader.take(size_t{size} + 4, what);
}

void append_events(Bytes content, std::string_view source, std::vector<Event>& events) {
  const Bytes elements = FlatTable(content, "EVTS", source).get_vector(0, kEventSize);
  const size_t n_before = events.size();
  events.resize(n_before + elements.size() / kEventSize);
  for (size_t i = n_before; i < events.size(); ++i) {
    const uint8_t* at = elements.data() + (i - n_before) * kEventSize;
    const int64_t t = load_le<int64_t>(at);
    const int16_t x = load_le<int16_t>(at + 8), y = load_le<int16_t>(at + 10);
    SPIKENM_CHECK(x >= 0 && y >= 0 && t > -kMaxTime && t < kMaxTime,
                  "{}: event {} has x {}, y {}, time {}, wanted a place from 0 and a time within "
                  "+-2^62 us",
                  source, i, x, y, t);
    events[i] = {.t = t,
                 .x = static_cast<uint16_t>(x),
                 .y = static_cast<uint16_t>(y),
                 .on = static_cast<uint8_t>(at[12] != 0)};
  }
}

}  // namespace

void read_aedat4(Bytes bytes, std::string_view source, Recording& out) {
  ByteReader reader(bytes, source);
  const std::string_view version = as_text(reader.take(kVersion.size(), "version line"));
  SPIKENM_CHECK(version == kVersion, "{}: found no '#!AER-DAT4.0' at its begin", source);
  const FlatTable header(take_sized(reader, "header"), "IOHE", source);
  const auto compression = header.get<int32_t>(0, 0);
  const auto table = header.get<int64_t>(1, -1);  // place of the list of packets; < 0: no list
  const Stream stream = find_event_stream(as_text(header.get_vector(2, 1)), source);
  SPIKENM_CHECK(table < 0 || static_cast<uint64_t>(table) <= bytes.size(),
                "{}: cut short: its list of packets is at byte {}, found {} bytes", source, table,
                bytes.size());
  const size_t end = table < 0 ? bytes.size() : static_cast<size_t>(table);
  Unpacker unpacker(method_of(compression, source), source);
  out.events.clear();
  while (reader.offset() < end) {
    const auto id = reader.le<int32_t>("packet's stream");
    const auto size = reader.le<uint32_t>("packet's size");
    const Bytes packet = reader.take(size, "packet");
    if (id == stream.id) append_events(unpacker.unpack(packet), source, out.events);
  }
  set_sensor(out, stream.width, stream.height, source);
}

}  // namespace spikenm::data
