#include "spikenm/data/events/aedat2.h"

#include "spikenm/data/events/header_line.h"
#include "spikenm/data/events/sensor.h"
#include "spikenm/data/events/wrapping_clock.h"
#include "spikenm/data/formats/member_name.h"

namespace spikenm::data {
namespace {

constexpr size_t kEventSize = 8;  // big-endian: u32 address, u32 time in µs

struct Header {
  size_t size = 0;
  std::string_view chip;  // jAER's class name of the camera; empty: not given
};

Header read_header(Bytes bytes, std::string_view source) {
  Header header;
  size_t last = 0;
  while (const size_t line = header_line(bytes.subspan(header.size), '#')) {
    const std::string_view text = header_text(bytes.subspan(header.size, line));
    const std::string_view version = text_after(text, "!AER-DAT");
    SPIKENM_CHECK(version.empty() || version.starts_with('2'),
                  "{}: found AEDAT version '{}', wanted 2.0", source, excerpt(version));
    if (const std::string_view chip = text_after(text, "AEChip:"); !chip.empty())
      header.chip = chip;
    header.size += line;
    last = line;
  }
  const Bytes rest = bytes.subspan(header.size);

  // Nothing marks the end of the header. The first event may look like a header line ("#", some
  // text and a newline). It is an event if only then the data are whole events.
  if (last < kEventSize && rest.size() % kEventSize != 0 && (rest.size() + last) % kEventSize == 0)
    header.size -= last;
  SPIKENM_CHECK(!is_cut_header_line(rest, '#'), "{}: cut short: its header's last line has no end",
                source);
  return header;
}

// A DVS128's address: bit 0 polarity (0 is ON), 1-7 x from the right, 8-14 y from below, 15 set by
// the external input.
struct Dvs128 {
  static constexpr uint32_t kBits = 0xffff;
  static bool is_pixel(uint32_t address) { return (address & 0x8000) == 0; }
  static void decode(uint32_t address, Event& out) {
    out.x = static_cast<uint16_t>(127 - ((address >> 1) & 0x7f));
    out.y = static_cast<uint16_t>(127 - ((address >> 8) & 0x7f));
    out.on = static_cast<uint8_t>(~address & 1);
  }
};

// A DAVIS's address: bit 10 set by the external input, 11 polarity (1 is ON), 12-21 x from the
// right, 22-30 y from below, 31 set for frames and IMU.
struct Davis {
  static constexpr uint32_t kBits = 0xffffffff;
  uint32_t right, bottom;
  static bool is_pixel(uint32_t address) { return (address & 0x80000400) == 0; }
  void decode(uint32_t address, Event& out) const {
    out.x = static_cast<uint16_t>(right - ((address >> 12) & 0x3ff));
    out.y = static_cast<uint16_t>(bottom - ((address >> 22) & 0x1ff));
    out.on = static_cast<uint8_t>((address >> 11) & 1);
  }
};

template <class Chip>
void read_events(Bytes data, const Chip& chip, std::string_view source,
                 std::vector<Event>& events) {
  events.resize(data.size() / kEventSize);  // the largest possible number
  Event* out = events.data();
  WrappingClock clock;
  uint32_t used = 0;
  const uint8_t* const end = data.data() + data.size();
  for (const uint8_t* at = data.data(); at != end; at += kEventSize) {
    const uint32_t address = load_be<uint32_t>(at);
    out->t = clock.read(load_be<uint32_t>(at + 4));
    chip.decode(address, *out);
    out += Chip::is_pixel(address);
    used |= address;
  }

  events.resize(static_cast<size_t>(out - events.data()));
  if ((used & ~Chip::kBits) == 0) return;
  for (size_t i = 0;; ++i) {
    const uint32_t address = load_be<uint32_t>(data.data() + i * kEventSize);
    SPIKENM_CHECK((address & ~Chip::kBits) == 0,
                  "{}: event {} has address {:#x}, wanted the 16 bits of a DVS128; a DAVIS needs "
                  "its '# AEChip:' line",
                  source, i, address);
  }
}

}  // namespace

void read_aedat2(Bytes bytes, std::string_view source, Recording& out) {
  const Header header = read_header(bytes, source);
  const Bytes data = bytes.subspan(header.size);
  SPIKENM_CHECK(data.size() % kEventSize == 0,
                "{}: cut short: {} bytes follow the last whole event, wanted {}", source,
                data.size() % kEventSize, kEventSize);

  const Sensor sensor = find_sensor(header.chip.empty() ? "DVS128" : header.chip);
  SPIKENM_CHECK(sensor.width > 0,
                "{}: found camera '{}', wanted one of DVS128, DAVIS128, DAVIS240, DAVIS346, "
                "DAVIS640",
                source, excerpt(header.chip));

  if (sensor.name.starts_with("davis")) {
    const Davis chip{static_cast<uint32_t>(sensor.width - 1),
                     static_cast<uint32_t>(sensor.height - 1)};
    read_events(data, chip, source, out.events);
  } else {
    read_events(data, Dvs128{}, source, out.events);
  }
  set_sensor(out, sensor.width, sensor.height, source);
}

}  // namespace spikenm::data
