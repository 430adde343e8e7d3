// What an event camera records.
#pragma once

#include "spikenm/core/bytes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spikenm::data {

struct Event {
  int64_t t = 0;  // µs
  uint16_t x = 0, y = 0;
  uint8_t on = 0;  // 1: brighter, 0: darker

  bool operator==(const Event&) const = default;
};

// Events in the order of the file. Readers clear and refill a Recording, so that its memory is used
// again.
struct Recording {
  std::vector<Event> events;
  int32_t width = 0, height = 0;  // sensor size; 0: not in the file

  void clear() { *this = {.events = (events.clear(), std::move(events))}; }
};

// Half-open span of time, in µs of the file's clock.
struct TimeWindow {
  int64_t begin = INT64_MIN, end = INT64_MAX;
};

}  // namespace spikenm::data
