#include "spikenm/data/events/aedat4.h"

#include "spikenm/data/events/aedat4_streams.h"
#include "spikenm/data/events/flat_table.h"
#include "spikenm/data/events/sensor.h"
#include "spikenm/data/events/unpacker.h"

namespace spikenm::data {
namespace {

constexpr std::string_view kVersion = "#!AER-DAT4.0\r\n";
// Little-endian i64 time in µs, i16 x, i16 y, bool on, 3 unused.
constexpr size_t kEventSize = 16;

Unpacker::Method method_of(int32_t compression, std::string_view source) {
  using Method = Unpacker::Method;
  // None, LZ4, LZ4 high, zstd, zstd high.
  constexpr Method kMethods[] = {Method::kNone, Method::kLz4, Method::kLz4, Method::kZstd,
                                 Method::kZstd};
  SPIKENM_CHECK(compression >= 0 && compression < 5,
                "{}: found compression {}, wanted 0 to 4 (none, LZ4, zstd)", source, compression);
  return kMethods[compression];
}

// A FlatBuffer with its leading size.
Bytes take_sized(ByteReader& reader, std::string_view what) {
  ByteReader ahead = reader;
  const uint32_t size = ahead.le<uint32_t>(what);
  return reader.take(size_t{size} + 4, what);
}

// False when there would be more than `most` events.
bool append_events(Bytes content, std::string_view source, size_t most,
                   std::vector<Event>& events) {
  const Bytes elements = FlatTable(content, "EVTS", source).get_vector(0, kEventSize);
  const size_t n_before = events.size(), n = n_before + elements.size() / kEventSize;
  if (n > most) return false;
  events.resize(n);

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
  return true;
}

}  // namespace

Aedat4Stream read_aedat4(Bytes bytes, std::string_view source, Recording& out,
                         const UnpackLimit& limit) {
  ByteReader reader(bytes, source);
  const std::string_view version = as_text(reader.take(kVersion.size(), "version line"));
  SPIKENM_CHECK(version == kVersion, "{}: found no '#!AER-DAT4.0' at its begin", source);

  const FlatTable header(take_sized(reader, "header"), "IOHE", source);
  const auto compression = header.get<int32_t>(0, 0);
  const auto table = header.get<int64_t>(1, -1);  // place of the packet list; < 0: none
  const Aedat4Stream stream = find_event_stream(as_text(header.get_vector(2, 1)), source);
  SPIKENM_CHECK(table < 0 || static_cast<uint64_t>(table) <= bytes.size(),
                "{}: cut short: its list of packets is at byte {}, found {} bytes", source, table,
                bytes.size());

  const size_t end = table < 0 ? bytes.size() : static_cast<size_t>(table);
  const size_t most = limit.of(bytes.size());
  // A smaller limit per packet: a packet and all events are in memory at the same time.
  Unpacker unpacker(method_of(compression, source), source, {limit.bytes / 4, limit.lifted_by});

  out.events.clear();
  while (reader.offset() < end) {
    const auto id = reader.le<int32_t>("packet's stream");
    const auto size = reader.le<uint32_t>("packet's size");
    const Bytes packet = reader.take(size, "packet");
    if (id != stream.id) continue;
    if (!append_events(unpacker.unpack(packet), source, most / sizeof(Event), out.events))
      refuse_unpacking(source, most, limit);
  }
  set_sensor(out, stream.width, stream.height, source);
  return stream;
}

}  // namespace spikenm::data
