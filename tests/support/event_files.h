// Event files, written byte by byte as their formats are documented, and real ones where they lie.
#pragma once

#include "spikenm/data/events/event.h"
#include "support/aedat4_file.h"
#include "support/containers.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace spikenm::test {

// `n` events inside the sensor, all different, both polarities, at 0, 10 or 20 µs from each other.
inline std::vector<Event> some_events(size_t n, int width, int height, int64_t start = 1000) {
  std::vector<Event> events;
  int64_t t = start;
  for (size_t i = 0; i < n; ++i, t += static_cast<int64_t>(10 * (i % 3)))
    events.push_back({.t = t,
                      .x = static_cast<uint16_t>(i * 7 % static_cast<size_t>(width)),
                      .y = static_cast<uint16_t>(i * 5 % static_cast<size_t>(height)),
                      .on = static_cast<uint8_t>(i / 2 % 2)});
  return events;
}

// AEDAT 2.0 ---------------------------------------------------------------------------------------

inline const std::string kAedat2Header =
    "#!AER-DAT2.0\r\n# This is a raw AE data file - do not edit\r\n"
    "# AEChip: ch.unizh.ini.jaer.chip.retina.DVS128\r\n";
inline const std::string kAedat2DavisHeader =
    "#!AER-DAT2.0\r\n# AEChip: eu.seebetter.ini.chips.davis.DAVIS240C\r\n";

inline std::string aedat2_word(uint32_t address, int64_t t) {
  return be(address) + be(static_cast<uint32_t>(t));
}
// `events` are upright, as a reader returns them.
inline uint32_t dvs128_address(const Event& e) {
  return static_cast<uint32_t>((127 - e.y) << 8 | (127 - e.x) << 1 | (1 - e.on));
}
inline uint32_t davis240_address(const Event& e) {
  return static_cast<uint32_t>((179 - e.y) << 22 | (239 - e.x) << 12 | e.on << 11);
}
inline std::string aedat2_file(std::span<const Event> events,
                               const std::string& header = kAedat2Header) {
  std::string file = header;
  for (const Event& e : events) file += aedat2_word(dvs128_address(e), e.t);
  return file;
}

// AEDAT 3.1 ---------------------------------------------------------------------------------------

inline const std::string kAedat3Header =
    "#!AER-DAT3.1\r\n#Format: RAW\r\n#Source 1: DVS128\r\n"
    "#Start-Time: 2015-10-16 11:06:42 (TZ-0700)\r\n#!END-HEADER\r\n";

inline std::string aedat3_packet_header(int16_t type, int32_t event_size, int32_t overflow,
                                        int32_t capacity, int32_t n_events) {
  return le(type) + le<int16_t>(1) + le(event_size) + le<int32_t>(4) + le(overflow) + le(capacity) +
         le(n_events) + le(n_events);
}
inline std::string aedat3_event(const Event& e, bool valid = true) {
  return le(static_cast<uint32_t>(e.x << 17 | e.y << 2 | e.on << 1 | (valid ? 1 : 0))) +
         le(static_cast<int32_t>(e.t & 0x7fffffff));
}
// All events lie in the same 2^31 µs.
inline std::string aedat3_packet(std::span<const Event> events) {
  const auto n = static_cast<int32_t>(events.size());
  const auto overflow = static_cast<int32_t>(events.empty() ? 0 : events[0].t >> 31);
  std::string packet = aedat3_packet_header(1, 8, overflow, n, n);
  for (const Event& e : events) packet += aedat3_event(e);
  return packet;
}
// A packet of `n` events of another kind.
inline std::string aedat3_other_packet(int16_t type, int32_t event_size, int32_t n) {
  return aedat3_packet_header(type, event_size, 0, n, n) +
         std::string(static_cast<size_t>(event_size) * static_cast<size_t>(n), '\xff');
}
// Packets of at most `per_packet` events, cut also where the clock overflows.
inline std::string aedat3_file(std::span<const Event> events, size_t per_packet = 100) {
  std::string file = kAedat3Header;
  for (size_t begin = 0, end; begin < events.size(); begin = end) {
    end = begin + 1;
    while (end < events.size() && end - begin < per_packet &&
           events[end].t >> 31 == events[begin].t >> 31)
      ++end;
    file += aedat3_packet(events.subspan(begin, end - begin));
  }
  return file;
}

// ATIS and Prophesee ------------------------------------------------------------------------------

inline std::string atis_word(int x, int y, int on, int64_t t) {
  const auto time = static_cast<uint32_t>(t & 0x7fffff) | static_cast<uint32_t>(on) << 23;
  return {static_cast<char>(x), static_cast<char>(y), static_cast<char>(time >> 16),
          static_cast<char>(time >> 8), static_cast<char>(time)};
}
// With as many overflow marks as times beyond 2^23 µs need.
inline std::string atis_bin_file(std::span<const Event> events) {
  std::string file;
  int64_t base = 0;
  for (const Event& e : events) {
    for (; e.t - base > 0x7fffff; base += 1 << 13) file += atis_word(0, 240, 0, 0);
    file += atis_word(e.x, e.y, e.on, e.t - base);
  }
  return file;
}

inline std::string prophesee_dat_file(std::span<const Event> events,
                                      const std::string& header =
                                          "% Data file containing CD events.\n"
                                          "% Version 2\n% Date 2020-09-14\n") {
  std::string file = header + std::string("\x0c\x08", 2);
  for (const Event& e : events)
    file +=
        le(static_cast<uint32_t>(e.t)) + le(static_cast<uint32_t>(e.x | e.y << 14 | e.on << 28));
  return file;
}

// A real recording; tests skip when it is not there.
inline std::filesystem::path real_file(const std::string& name) {
  return std::filesystem::path(SPIKENM_SOURCE_DIR).parent_path() / "shared/data/fixtures" / name;
}

}  // namespace spikenm::test
