#include "spikenm/data/event_camera.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <cmath>

namespace spikenm::data {

EventCamera::EventCamera(const Options& options) : options_(options) {}

void EventCamera::observe(const std::vector<float>& intensity, float* frame) {
  const size_t pixels = static_cast<size_t>(options_.height * options_.width);
  SPIKENM_ASSERT(intensity.size() == pixels);
  const bool first = reference_.empty();
  if (first) reference_.resize(pixels);

  const auto threshold = static_cast<float>(options_.threshold);
  for (size_t i = 0; i < pixels; ++i) {
    const float level = std::log(intensity[i]);
    if (first) {
      reference_[i] = level;
      continue;
    }

    const int events = static_cast<int>((level - reference_[i]) / threshold);  // towards zero
    if (events == 0) continue;
    reference_[i] += static_cast<float>(events) * threshold;
    frame[events > 0 ? pixels + i : i] += static_cast<float>(std::abs(events));
  }
}

void EventCamera::add_noise(const RandomAddress& random, int64_t frame_index, float* frame) const {
  const int64_t n = 2 * options_.height * options_.width;
  const int64_t blocks = (n + 3) / 4;  // four words per Philox block, one word per pixel
  const auto limit = static_cast<uint32_t>(options_.noise_rate * 4294967295.0);
  for (int64_t block = 0; block < blocks; ++block) {
    const auto words = random.words(static_cast<uint64_t>(frame_index * blocks + block));
    for (int64_t i = 4 * block; i < std::min(n, 4 * block + 4); ++i) {
      if (words.word[i % 4] < limit) frame[i] += 1;
    }
  }
}

}  // namespace spikenm::data
