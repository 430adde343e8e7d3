#include "spikenm/data/resize.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <cmath>

namespace spikenm::data {

Resizer::Filter::Filter(int64_t n_in, int64_t n_out) {
  SPIKENM_CHECK(n_in > 0 && n_out > 0, "resize: found a side of {} -> {}, wanted 1 or more", n_in,
                n_out);
  const double scale = static_cast<double>(n_in) / static_cast<double>(n_out);
  const double support = std::max(1.0, scale);

  // Every output has the same number of taps: at the border the window moves inwards, and taps
  // outside the filter have weight 0.
  taps = std::min(n_in, static_cast<int64_t>(std::ceil(support)) * 2 + 1);
  for (int64_t i = 0; i < n_out; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto begin =
        std::max<int64_t>(0, static_cast<int64_t>(std::floor(centre - support + 0.5)));
    const auto end = std::min(n_in, static_cast<int64_t>(std::floor(centre + support + 0.5)));
    first.push_back(std::min(begin, n_in - taps));

    std::vector<double> weight(static_cast<size_t>(taps));
    double sum = 0;
    for (int64_t x = begin; x < end; ++x) {
      const double distance = std::abs(static_cast<double>(x) + 0.5 - centre) / support;
      sum += weight[static_cast<size_t>(x - first.back())] = std::max(0.0, 1 - distance);
    }
    for (const double w : weight) weights.push_back(static_cast<float>(w / sum));
  }
}

Resizer::Resizer(int64_t in_height, int64_t in_width, int64_t out_height, int64_t out_width)
    : in_height_(in_height),
      in_width_(in_width),
      out_height_(out_height),
      out_width_(out_width),
      across_(in_width, out_width),
      down_(in_height, out_height) {}

void Resizer::apply(const float* in, float* out, int64_t planes) const {
  std::vector<float> narrow(static_cast<size_t>(in_height_ * out_width_));  // one plane
  for (int64_t p = 0; p < planes; ++p) {
    const float* row = in + p * in_height_ * in_width_;
    for (int64_t y = 0; y < in_height_; ++y, row += in_width_) {
      float* const to = narrow.data() + y * out_width_;
      for (int64_t x = 0; x < out_width_; ++x) {
        const float* const weight = across_.weights.data() + x * across_.taps;
        const float* const from = row + across_.first[static_cast<size_t>(x)];
        float sum = 0;
        for (int64_t k = 0; k < across_.taps; ++k) sum += weight[k] * from[k];
        to[x] = sum;
      }
    }

    float* to = out + p * out_height_ * out_width_;
    for (int64_t y = 0; y < out_height_; ++y, to += out_width_) {
      const float* from = narrow.data() + down_.first[static_cast<size_t>(y)] * out_width_;
      std::fill_n(to, out_width_, 0.0f);
      for (int64_t k = 0; k < down_.taps; ++k, from += out_width_) {
        const float weight = down_.weights[static_cast<size_t>(y * down_.taps + k)];
        for (int64_t x = 0; x < out_width_; ++x) to[x] += weight * from[x];
      }
    }
  }
}

}  // namespace spikenm::data
