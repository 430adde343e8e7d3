#include "spikenm/data/events/atis_bin.h"

namespace spikenm::data {
namespace {

constexpr size_t kEventSize = 5;    // big-endian: u8 x, u8 y, 1 bit polarity, 23 bits µs
constexpr uint32_t kMarkRow = 240;  // below ATIS's last row; means that the clock has overflowed
constexpr int64_t kMarkStep = 1 << 13;  // µs that a mark adds to the times of all later events

}  // namespace

void read_atis_bin(Bytes bytes, std::string_view source, Recording& out) {
  SPIKENM_CHECK(bytes.size() % kEventSize == 0,
                "{}: cut short: {} bytes follow the last whole event, wanted {}", source,
                bytes.size() % kEventSize, kEventSize);
  out.width = out.height = 0;
  out.events.resize(bytes.size() / kEventSize);  // the largest possible number
  Event* event = out.events.data();

  int64_t base = 0;
  const uint8_t* const end = bytes.data() + bytes.size();
  for (const uint8_t* at = bytes.data(); at != end; at += kEventSize) {
    const uint32_t word = load_be<uint32_t>(at + 1);  // y, polarity, time
    const uint32_t y = word >> 24;
    event->t = base + (word & 0x7fffff);
    event->x = at[0];
    event->y = static_cast<uint16_t>(y);
    event->on = static_cast<uint8_t>((word >> 23) & 1);
    const bool is_mark = y == kMarkRow;
    base += is_mark ? kMarkStep : 0;
    event += !is_mark;
  }
  out.events.resize(static_cast<size_t>(event - out.events.data()));
}

}  // namespace spikenm::data
