#include "spikenm/data/events/aedat3.h"

#include "spikenm/data/events/header_line.h"
#include "spikenm/data/events/sensor.h"
#include "spikenm/data/formats/member_name.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace spikenm::data {
namespace {

constexpr int16_t kPolarity = 1;  // the packet type of pixel events
// Little-endian u32 data (bit 0 valid, 1 polarity, 2-16 y, 17-31 x), i32 time.
constexpr size_t kEventSize = 8;

constexpr size_t kPacketHeader = 28;
constexpr size_t kMaxHeader = size_t{1} << 16;  // bytes of text; cAER writes a few hundred

// The source of a recording's bytes. piece() returns any part, valid until the next call.
struct InMemory {
  Bytes bytes;
  [[nodiscard]] uint64_t size() const { return bytes.size(); }
  [[nodiscard]] Bytes piece(uint64_t offset, size_t n) const { return bytes.subspan(offset, n); }
};

class OnDisk {
 public:
  explicit OnDisk(const InputFile& file) : file_(file) {}
  [[nodiscard]] uint64_t size() const { return file_.size(); }

  // Reads ahead, so that a packet's last event, the next packet's header and its first event need
  // one system call.
  Bytes piece(uint64_t offset, size_t n) {
    if (offset < begin_ || offset + n > begin_ + buffer_.size()) {
      buffer_.resize(std::min<uint64_t>(std::max(n, kAhead), size() - offset));
      begin_ = offset;
      file_.read(begin_, buffer_);
    }
    return Bytes(buffer_).subspan(offset - begin_, n);
  }

 private:
  static constexpr size_t kAhead = 4096;
  const InputFile& file_;
  std::vector<uint8_t> buffer_;
  uint64_t begin_ = 0;  // place of the buffer in the file
};

// Little-endian i16 type, i16 source, then six i32.
struct PacketHeader {
  int16_t type = 0;
  int32_t event_size = 0, time_offset = 0, overflow = 0, capacity = 0, n_events = 0;
};

PacketHeader parse_packet_header(Bytes bytes) {
  const uint8_t* at = bytes.data();
  return {.type = load_le<int16_t>(at),
          .event_size = load_le<int32_t>(at + 4),
          .time_offset = load_le<int32_t>(at + 8),
          .overflow = load_le<int32_t>(at + 12),
          .capacity = load_le<int32_t>(at + 16),
          .n_events = load_le<int32_t>(at + 20)};
}

// The place of one polarity packet's events.
struct Packet {
  uint64_t begin = 0;
  size_t size = 0;   // bytes
  int64_t base = 0;  // time in µs when the packet's 31-bit clock last wrapped
};

// Moves `reader` past the header and returns the sensor that the header names.
Sensor read_header(Bytes bytes, ByteReader& reader) {
  Sensor sensor;
  for (bool first = true;; first = false) {
    const Bytes rest = bytes.subspan(reader.offset());
    const size_t length = header_line(rest, '#');
    SPIKENM_CHECK(length > 0,
                  "{}: found no line '#!END-HEADER' at the end of its header of at most {} bytes "
                  "(a fixed limit)",
                  reader.source(), kMaxHeader);
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

// Reads the packets after the header.
template <class Place>
class PacketReader {
 public:
  PacketReader(Place& place, std::string_view source, uint64_t offset)
      : place_(place), source_(source), offset_(offset) {}
  [[nodiscard]] bool at_end() const { return offset_ == place_.size(); }

  // The next packet if it overlaps the window; else an empty one.
  Packet next(const TimeWindow& window) {
    const uint64_t at = offset_;
    const PacketHeader header =
        parse_packet_header(place_.piece(pass(kPacketHeader, "packet header"), kPacketHeader));
    SPIKENM_CHECK(header.event_size >= 0 && header.n_events >= 0 && header.overflow >= 0 &&
                      header.capacity >= header.n_events,
                  "{}: packet at byte {}: found {} events of {} bytes, capacity {}, overflow {}, "
                  "which cannot be",
                  source_, at, header.n_events, header.event_size, header.capacity,
                  header.overflow);

    const uint64_t begin =
        pass(static_cast<uint64_t>(header.capacity) * static_cast<uint64_t>(header.event_size),
             "packet");
    if (header.type != kPolarity || header.n_events == 0) return {};
    SPIKENM_CHECK(header.event_size == kEventSize && header.time_offset == 4,
                  "{}: packet at byte {}: found polarity events of {} bytes with their time at {}, "
                  "wanted 8 and 4",
                  source_, at, header.event_size, header.time_offset);

    const Packet packet{begin, static_cast<size_t>(header.n_events) * kEventSize,
                        static_cast<int64_t>(header.overflow) << 31};
    const bool outside =
        time(packet, 0) >= window.end || time(packet, packet.size - kEventSize) < window.begin;
    return outside ? Packet{} : packet;
  }

 private:
  // Moves forward by `n` bytes and returns the place before them.
  uint64_t pass(uint64_t n, const char* what) {
    const uint64_t left = place_.size() - offset_;
    SPIKENM_CHECK(n <= left, "{}: cut short: {} at byte {} needs {} bytes, found {}", source_, what,
                  offset_, n, left);
    return std::exchange(offset_, offset_ + n);
  }
  int64_t time(const Packet& packet, size_t offset) {
    return packet.base + load_le<int32_t>(place_.piece(packet.begin + offset + 4, 4).data());
  }

  Place& place_;
  std::string_view source_;
  uint64_t offset_;
};

// Writes the packet's valid events inside the window and returns the place after them.
Event* decode(Bytes events, int64_t base, const TimeWindow& window, std::string_view source,
              Event* out) {
  uint32_t signs = 0;
  const uint8_t* const end = events.data() + events.size();
  for (const uint8_t* at = events.data(); at != end; at += kEventSize) {
    const uint32_t data = load_le<uint32_t>(at);
    const uint32_t time = load_le<uint32_t>(at + 4);
    const int64_t t = base + time;
    out->t = t;
    out->x = static_cast<uint16_t>(data >> 17);
    out->y = static_cast<uint16_t>((data >> 2) & 0x7fff);
    out->on = static_cast<uint8_t>((data >> 1) & 1);
    out += (data & 1) & static_cast<uint32_t>(t >= window.begin) &
           static_cast<uint32_t>(t < window.end);
    signs |= time;
  }
  SPIKENM_CHECK((signs >> 31) == 0, "{}: found a time below 0 in the packet that begins at {} us",
                source, base + load_le<int32_t>(events.data() + 4));
  return out;
}

template <class Place>
void read(Place& place, std::string_view source, const TimeWindow& window, Recording& out) {
  const Bytes front = place.piece(0, std::min<uint64_t>(place.size(), kMaxHeader));
  ByteReader header(front, source);
  const Sensor sensor = read_header(front, header);

  PacketReader<Place> reader(place, source, header.offset());
  std::vector<Packet> packets;
  size_t n_events = 0;
  while (!reader.at_end()) {
    const Packet packet = reader.next(window);
    if (packet.size == 0) continue;
    packets.push_back(packet);
    n_events += packet.size / kEventSize;
  }

  out.events.resize(n_events);  // the largest possible number
  Event* end = out.events.data();
  for (const Packet& packet : packets)
    end = decode(place.piece(packet.begin, packet.size), packet.base, window, source, end);
  out.events.resize(static_cast<size_t>(end - out.events.data()));
  set_sensor(out, sensor.width, sensor.height, source);
}

}  // namespace

void read_aedat3(Bytes bytes, std::string_view source, const TimeWindow& window, Recording& out) {
  InMemory place{bytes};
  read(place, source, window, out);
}

void read_aedat3(const InputFile& file, const TimeWindow& window, Recording& out) {
  OnDisk place(file);
  read(place, file.path().string(), window, out);
}

}  // namespace spikenm::data
