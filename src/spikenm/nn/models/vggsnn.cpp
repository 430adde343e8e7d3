#include "spikenm/nn/models/builder.h"

namespace spikenm::nn {

// UPR's CIFAR10-DVS network: eight convolutions, four average pools, an analog classifier, vote.
std::unique_ptr<Network> make_vggsnn(const ModelSpec& spec, const Config& config) {
  const int64_t width = config.get_int("width", 64, 1, 4096);
  constexpr auto kAverage = ops::PoolKind::kAverage;
  ChainBuilder builder(spec);
  builder.conv(width).conv(2 * width).pool(kAverage);
  builder.conv(4 * width).conv(4 * width).pool(kAverage);
  builder.conv(8 * width).conv(8 * width).pool(kAverage);
  builder.conv(8 * width).conv(8 * width).pool(kAverage);
  return builder.classify(config.get_int("voters", 10, 1, 1000));
}

}  // namespace spikenm::nn
