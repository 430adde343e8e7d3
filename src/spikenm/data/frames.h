// Events -> frames: a recording is cut into T pieces, and the events of each are counted per pixel
// and polarity.
#pragma once

#include "spikenm/core/key.h"
#include "spikenm/data/events/event.h"
#include "spikenm/data/sample.h"

#include <span>
#include <vector>

namespace spikenm::data {

// kNumber: equal numbers of events, E/T each; the last piece also gets the remainder (as in
// SpikingJelly and UPR).
// kTime: equal spans of time, floor(span/T) each; the last piece also gets the remainder. A span
// may have no events.
enum class FrameRule { kNumber, kTime };

struct FrameOptions {
  int64_t frames = 10;
  FrameRule rule = FrameRule::kNumber;
  bool binary = false;     // 0/1 instead of counts
  int64_t polarities = 2;  // 1: a sensor without polarity (SHD)
  int64_t resize = 0;      // side after an antialiased bilinear resize; 0: the sensor's
};

// Reads frames_by, frame_values and resize; missing keys have the values of `defaults`.
FrameOptions read_frame_options(const Config& config, const FrameOptions& defaults);
KeyList frame_keys();

// Counts the events into `out` [frames,polarities,height,width]. Channel 0 is OFF and 1 is ON, as
// in SpikingJelly and Tonic. Every event must be inside height x width, and its time within +-2^60
// µs.
void integrate(std::span<const Event> events, const FrameOptions& options, int64_t height,
               int64_t width, float* out);

// When each frame begins, in µs from the first event; 0 without events.
std::vector<int64_t> frame_begins(std::span<const Event> events, const FrameOptions& options);

}  // namespace spikenm::data
