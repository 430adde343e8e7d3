// Antialiased bilinear resize, the same as PyTorch's interpolate(antialias=True) and Pillow's
// BILINEAR on float planes: a triangle filter as wide as the larger pixel, cut at the border.
#pragma once

#include <cstdint>
#include <vector>

namespace spikenm::data {

// Made once per pair of sizes. Safe to call from several threads at once.
class Resizer {
 public:
  Resizer(int64_t in_height, int64_t in_width, int64_t out_height, int64_t out_width);

  // [planes,in_height,in_width] -> [planes,out_height,out_width]; the two must not overlap.
  void apply(const float* in, float* out, int64_t planes) const;

 private:
  // Along one axis, output i is the sum over k < taps of weights[i*taps+k] * input[first[i]+k].
  struct Filter {
    Filter(int64_t n_in, int64_t n_out);
    int64_t taps;
    std::vector<int64_t> first;
    std::vector<float> weights;
  };

  int64_t in_height_, in_width_, out_height_, out_width_;
  Filter across_, down_;
};

}  // namespace spikenm::data
