#include "spikenm/data/transforms/normalize.h"

#include "spikenm/core/error.h"

namespace spikenm::data {

void normalize(Sample& sample, const std::vector<double>& mean, const std::vector<double>& std) {
  const auto [T, C, H, W] = sample.shape;
  SPIKENM_CHECK(static_cast<int64_t>(mean.size()) == C && static_cast<int64_t>(std.size()) == C,
                "normalize: found {} means and {} standard deviations, wanted {} of each",
                mean.size(), std.size(), C);
  float* at = sample.values.data();
  for (int64_t p = 0; p < T * C; ++p, at += H * W) {
    const auto c = static_cast<size_t>(p % C);
    SPIKENM_CHECK(std[c] > 0, "normalize: found a standard deviation of {}, wanted more than 0",
                  std[c]);
    const ChannelEdit to = normalizing(mean[c], std[c]);
    for (int64_t i = 0; i < H * W; ++i) at[i] = to.apply(at[i]);
  }
}

ChannelEdit normalizing(double mean, double std) {
  return {.scale = static_cast<float>(1 / (255 * std)), .offset = static_cast<float>(mean / std)};
}

}  // namespace spikenm::data
