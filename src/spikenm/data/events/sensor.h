// Sizes of sensors, and the check that a recording's events are inside its sensor.
#pragma once

#include "spikenm/data/events/event.h"

#include <algorithm>
#include <string_view>

namespace spikenm::data {

// Readers refuse times beyond +-kMaxTime, so that the difference of two times does not overflow.
constexpr int64_t kMaxTime = int64_t{1} << 62;  // µs

struct Sensor {
  std::string_view name;          // lower case
  int32_t width = 0, height = 0;  // 0: not known
};

// The sensor whose name is in `device`, as files write it: "DVS128", "…davis.Davis346red".
inline Sensor find_sensor(std::string_view device) {
  static constexpr Sensor kSensors[] = {{"dvs128", 128, 128},   {"tmpdiff128", 128, 128},
                                        {"davis128", 128, 128}, {"davis240", 240, 180},
                                        {"davis346", 346, 260}, {"davis640", 640, 480}};
  std::string name(device);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const Sensor& sensor : kSensors) {
    if (name.find(sensor.name) != std::string::npos) return sensor;
  }
  return {};
}

// Sets the recording's sensor size. 0: not known. Otherwise all events must be inside; an Error
// names the first one that is outside.
inline void set_sensor(Recording& recording, int32_t width, int32_t height,
                       std::string_view source) {
  recording.width = width;
  recording.height = height;
  if (width == 0 || height == 0) return;
  uint16_t x = 0, y = 0;
  for (const Event& e : recording.events) {
    x = std::max(x, e.x);
    y = std::max(y, e.y);
  }
  if (x < width && y < height) return;

  const auto outside = std::find_if(recording.events.begin(), recording.events.end(),
                                    [&](const Event& e) { return e.x >= width || e.y >= height; });
  fail("{}: event {} lies at x {}, y {}, outside the {} x {} sensor", source,
       outside - recording.events.begin(), outside->x, outside->y, width, height);
}

}  // namespace spikenm::data
