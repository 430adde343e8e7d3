#include "spikenm/data/frames.h"

#include "spikenm/core/error.h"

#include <algorithm>

namespace spikenm::data {
namespace {

const ChoiceKey kFramesBy{
    "frames_by",
    {"number", "\"time\" for shd"},
    {"number", "time"},
    "how a recording is cut into frames: equal numbers of events, or equal spans of time"};
const ChoiceKey kFrameValues{"frame_values",
                             "counts",
                             {"counts", "binary"},
                             "events of each pixel counted, or 1 where there is any"};
const IntKey kResize{
    "resize", {0, "48 for cifar10-dvs"}, 0, 4096, "side of the frames in pixels; 0: the sensor's"};

// Calls put(t, event) for every event; t is the piece, of T pieces, that the event belongs to.
template <class Put>
void split_by_number(std::span<const Event> events, int64_t T, const Put& put) {
  const size_t share = events.size() / static_cast<size_t>(T);
  for (int64_t t = 0; t < T; ++t) {
    const size_t begin = static_cast<size_t>(t) * share;
    const size_t end = t + 1 < T ? begin + share : events.size();
    for (const Event& e : events.subspan(begin, end - begin)) put(t, e);
  }
}

// Also correct when times go back: an event belongs to the piece of its time. An event outside the
// span from the first to the last event belongs to the nearest piece.
template <class Put>
void split_by_time(std::span<const Event> events, int64_t T, const Put& put) {
  const int64_t start = events.front().t, step = (events.back().t - start) / T;
  int64_t t = 0, begin = 0, end = 0;  // the piece of the previous event, and its times
  for (const Event& e : events) {
    if (e.t < begin || e.t >= end) {
      t = step > 0 ? std::clamp<int64_t>((e.t - start) / step, 0, T - 1) : T - 1;
      begin = t > 0 ? start + t * step : INT64_MIN;
      end = t + 1 < T ? start + (t + 1) * step : INT64_MAX;
    }
    put(t, e);
  }
}

}  // namespace

FrameOptions read_frame_options(const Config& config, const FrameOptions& defaults) {
  FrameOptions options = defaults;
  options.rule = static_cast<FrameRule>(kFramesBy.read(config, static_cast<size_t>(defaults.rule)));
  options.binary = kFrameValues.read(config, defaults.binary ? 1 : 0) == 1;
  options.resize = kResize.read(config, defaults.resize);
  return options;
}

KeyList frame_keys() {
  return {&kFramesBy, &kFrameValues, &kResize};
}

void integrate(std::span<const Event> events, const FrameOptions& options, int64_t height,
               int64_t width, float* out) {
  const int64_t T = options.frames, frame = options.polarities * height * width;
  std::fill(out, out + T * frame, 0.0F);
  if (events.empty()) return;

  const int64_t polarity = options.polarities == 2 ? height * width : 0;
  const auto pixel = [=](int64_t t, const Event& e) -> float& {
    return out[t * frame + e.on * polarity + e.y * width + e.x];
  };
  const auto split = [&](const auto& put) {
    if (options.rule == FrameRule::kNumber) return split_by_number(events, T, put);
    split_by_time(events, T, put);
  };

  if (options.binary) {
    split([&](int64_t t, const Event& e) { pixel(t, e) = 1; });
  } else {
    split([&](int64_t t, const Event& e) { pixel(t, e) += 1; });
  }
}

std::vector<int64_t> frame_begins(std::span<const Event> events, const FrameOptions& options) {
  std::vector<int64_t> begins(static_cast<size_t>(options.frames));
  if (events.empty()) return begins;
  const int64_t start = events.front().t;
  const size_t share = events.size() / begins.size();
  const int64_t step = (events.back().t - start) / options.frames;
  for (size_t t = 0; t < begins.size(); ++t)
    begins[t] = options.rule == FrameRule::kNumber ? events[t * share].t - start
                                                   : step * static_cast<int64_t>(t);
  return begins;
}

}  // namespace spikenm::data
