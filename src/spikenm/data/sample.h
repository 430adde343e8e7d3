// One sample between dataset and batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace spikenm::data {

struct SampleShape {
  int64_t frames = 1, channels = 1, height = 1, width = 1;

  [[nodiscard]] int64_t plane() const { return height * width; }
  [[nodiscard]] int64_t planes() const { return frames * channels; }
  [[nodiscard]] int64_t size() const { return planes() * plane(); }
  bool operator==(const SampleShape&) const = default;
};

// Pixels are 0..255 until they are normalised. Event frames hold counts, which are whole numbers
// until they are resized.
struct Sample {
  SampleShape shape;
  std::vector<float> values;  // [frames,channels,height,width]
  int64_t label = 0;
};

}  // namespace spikenm::data
