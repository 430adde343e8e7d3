// The tables beside DVS128 Gesture's recordings: which gesture was made at which time.
#pragma once

#include "spikenm/data/events/event.h"

#include <optional>
#include <string_view>
#include <vector>

namespace spikenm::data {

constexpr int64_t kGestureClasses = 11;

struct GestureTrial {
  int64_t label = 0;  // 0 to 10; 1 to 11 in the file
  TimeWindow window;
};

// Lines "class,startTime_usec,endTime_usec" below a heading.
std::vector<GestureTrial> parse_gesture_table(std::string_view text, std::string_view source);

// Returns nothing when the text is not a whole number. Spaces around it are allowed.
std::optional<int64_t> whole_number(std::string_view text);

}  // namespace spikenm::data
