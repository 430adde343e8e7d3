#include "spikenm/data/events/aedat3.h"

#include "spikenm/data/events/header_line.h"
#include "spikenm/data/events/sensor.h"
#include "spikenm/data/formats/member_name.h"

namespace spikenm::data {
namespace {

constexpr int16_t kPolarity = 1;  // the packet type of pixels' events
// Little-endian u32 data (bit 0 valid, 1 polarity, 2-16 y, 17-31 x), i32 time.
constexpr size_t kEventSize = 8;

// Little-endian i16 type, i16 source, then six i32.
struct PacketHeader {
  int16_t type = 0;
  int32_t event_size = 0, time_offset = 0, overflow = 0, capacity = 0, n_events = 0;
};

PacketHeader read_packet_header(ByteReader& reader) {
  const uint8_t* at = reader.take(28, "packet header").data();
  return {.type = load_le<int16_t>(at),
          .event_size = load_le<int32_t>(at + 4),
          .time_offset = load_le<int32_t>(at + 8),
          .overflow = load_le<int32_t>(at + 12),
          .capacity = load_le<int32_t>(at + 16),
          .n_events = load_le<int32_t>(at + 20)};
}

// The events of one polarity packet.
struct Packet {
  Bytes events;
  int64_t base = 0;  // µs before the packet's 31-bit clock last wrapped

  [[nodiscard]] int64_t time(size_t offset) const {
    return base + load_le<int32_t>(events.data() + offset + 4);
  }
};

// Moves `reader` behind the header and gives the sensor it names.
Sensor read_header(Bytes bytes, ByteReader& reader) {
  Sensor sensor;
  for (bool first = true;; first = false) {
    const Bytes rest = bytes.subspan(reader.offset());
    const size_t length = header_line(rest, '#');
    SPIKENM_CHECK(length > 0, "{}: found no line '#!END-HEADER' at the end of its header",
                  reader.source());
    const std::string_view line = header_text(reader.take(length, "header line"));
    SPIKENM_CHECK(!first || line == "!AER-DAT3.1", "{}: found '#{}', wanted '#!AER-DAT3.1'",
                  reader.source(), excerpt(line));
    if (line == "!END-HEADER") return sensor;
    const std::string_view format = text_after(line, "Format:");
    SPIKENM_CHECK(format.empty() || format == "RAW",
                  "{}: found packet format '{}', wanted RAW, the only one that is supported",
                  reader.source(), excerpt(format));
    if (sensor.width == 0) sensor = find_sensor(text_after(line, "Source"));
  }
}

// The next packet's events inside the window's reach; empty when it holds none.
Packet read_packet(ByteReader& reader, const TimeWindow& window) {
  const size_t at = reader.offset();
  const PacketHeader header = read_packet_header(reader);
  SPIKENM_CHECK(header.event_size >= 0 && header.n_events >= 0 && header.overflow >= 0 &&
                    header.capacity >= header.n_events,
                "{}: packet at byte {}: found {} events of {} bytes, capacity {}, overflow {}, "
                "which cannot be",
                reader.source(), at, header.n_events, header.event_size, header.capacity,
                header.overflow);
  const Bytes all = reader.take(
      static_cast<size_t>(header.capacity) * static_cast<size_t>(header.event_size), "packet");
  if (header.type != kPolarity || header.n_events == 0) return {};
  SPIKENM_CHECK(header.event_size == kEventSize && header.time_offset == 4,
                "{}: packet at byte {}: found polarity events of {} bytes with their time at {}, "
                "wanted 8 and 4",
                reader.source(), at, header.event_size, header.time_offset);
  const Packet packet{all.first(static_cast<size_t>(header.n_events) * kEventSize),
                      static_cast<int64_t>(header.overflow) << 31};
  const bool outside =
      packet.time(packet.events.size() - kEventSize) < window.begin || packet.time(0) >= window.end;
  return outside ? Packet{} : packet;
}

// Writes the packet's valid events inside the window and gives the place behind them.
Event* decode(const Packet& packet, const TimeWindow& window, std::string_view source, Event* out) {
  uint32_t signs = 0;
  const uint8_t* const end = packet.events.data() + packet.events.size();
  for (const uint8_t* at = packet.events.data(); at != end; at += kEventSize) {
    const uint32_t data = load_le<uint32_t>(at);
    const uint32_t time = load_le<uint32_t>(at + 4);
    const int64_t t = packet.base + time;
    out->t = t;
    out->x = static_cast<uint16_t>(data >> 17);
    out->y = static_cast<uint16_t>((data >> 2) & 0x7fff);
    out->on = static_cast<uint8_t>((data >> 1) & 1);
    out += (data & 1) & static_cast<uint32_t>(t >= window.begin) &
           static_cast<uint32_t>(t < window.end);
    signs |= time;
  }
  SPIKENM_CHECK((signs >> 31) == 0, "{}: found a time below 0 in the packet that begins at {} us",
                source, packet.time(0));
  return out;
}

}  // namespace

void read_aedat3(Bytes bytes, std::string_view source, const TimeWindow& window, Recording& out) {
  ByteReader reader(bytes, source);
  const Sensor sensor = read_header(bytes, reader);
  std::vector<Packet> packets;
  size_t n_events = 0;
  while (!reader.at_end()) {
    const Packet packet = read_packet(reader, window);
    if (packet.events.empty()) continue;
    packets.push_back(packet);
    n_events += packet.events.size() / kEventSize;
  }
  out.events.resize(n_events);  // the most there can be
  Event* end = out.events.data();
  for (const Packet& packet : packets) end = decode(packet, window, source, end);
  out.events.resize(static_cast<size_t>(end - out.events.data()));
  set_sensor(out, sensor.width, sensor.height, source);
}

}  // namespace spikenm::data
