#include "spikenm/data/events/prophesee_dat.h"

#include "spikenm/data/events/header_line.h"
#include "spikenm/data/events/sensor.h"
#include "spikenm/data/events/wrapping_clock.h"
#include "spikenm/data/formats/member_name.h"

#include <charconv>

namespace spikenm::data {
namespace {

constexpr size_t kEventSize = 8;  // little-endian: u32 time in µs, u32 place and polarity
constexpr int32_t kMaxSide = 1 << 14;

struct Header {
  int32_t version = 0, width = 0, height = 0;  // 0: not given
};

// Reads the number after `key`, as in "Width 304"; `value` is unchanged when the line does not
// begin with `key`.
void read_number(std::string_view line, std::string_view key, std::string_view source,
                 int32_t& value) {
  const std::string_view text = text_after(line, key);
  if (text.empty()) return;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  SPIKENM_CHECK(
      error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= kMaxSide,
      "{}: found header line '% {}', wanted a number up to {} in it", source, excerpt(line),
      kMaxSide);
}

Header read_header(Bytes bytes, ByteReader& reader) {
  Header header;
  while (const size_t length = header_line(bytes.subspan(reader.offset()), '%')) {
    const std::string_view line = header_text(reader.take(length, "header line"));
    read_number(line, "Version ", reader.source(), header.version);
    read_number(line, "Width ", reader.source(), header.width);
    read_number(line, "Height ", reader.source(), header.height);
  }
  SPIKENM_CHECK(reader.offset() > 0 && !is_cut_header_line(bytes.subspan(reader.offset()), '%'),
                "{}: found no whole header line '% …', wanted a DAT file", reader.source());
  return header;
}

// The places of x, y and polarity in an event's second word.
struct Layout {
  uint32_t x_mask, y_shift, y_mask, on_shift;
};
constexpr Layout kLayout{0x3fff, 14, 0x3fff, 28};
constexpr Layout kLayoutBefore2{0x1ff, 9, 0xff, 17};  // ATIS, before "Version 2"

void decode(Bytes data, const Layout& layout, std::vector<Event>& events) {
  events.resize(data.size() / kEventSize);
  WrappingClock clock;
  const uint8_t* at = data.data();
  for (Event& event : events) {
    const uint32_t place = load_le<uint32_t>(at + 4);
    event = {.t = clock.read(load_le<uint32_t>(at)),
             .x = static_cast<uint16_t>(place & layout.x_mask),
             .y = static_cast<uint16_t>((place >> layout.y_shift) & layout.y_mask),
             .on = static_cast<uint8_t>((place >> layout.on_shift) & 1)};
    at += kEventSize;
  }
}

}  // namespace

void read_prophesee_dat(Bytes bytes, std::string_view source, Recording& out) {
  ByteReader reader(bytes, source);
  const Header header = read_header(bytes, reader);

  const int type = reader.le<uint8_t>("event type");
  const int size = reader.le<uint8_t>("event size");
  SPIKENM_CHECK((type == 0 || type == 12) && size == kEventSize,
                "{}: found events of type {} and {} bytes, wanted type 0 or 12 and 8 bytes", source,
                type, size);
  SPIKENM_CHECK(reader.left() % kEventSize == 0,
                "{}: cut short: {} bytes follow the last whole event, wanted {}", source,
                reader.left() % kEventSize, kEventSize);

  const Bytes data = reader.take(reader.left(), "events");
  decode(data, header.version < 2 ? kLayoutBefore2 : kLayout, out.events);
  set_sensor(out, header.width, header.height, source);
}

}  // namespace spikenm::data
