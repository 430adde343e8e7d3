#include "spikenm/graph/models/chain.h"

namespace spikenm::graph {

// UPR's CIFAR10-DVS network: eight convolutions, four average pools, an analog classifier, vote.
Graph make_vggsnn(const ModelSpec& spec, const Config& config) {
  const int64_t width = config.get_int("width", 64, 1, 4096);
  constexpr auto kAverage = PoolKind::kAverage;
  ChainBuilder builder("vggsnn", spec);
  builder.conv(width).conv(2 * width).pool(kAverage);
  builder.conv(4 * width).conv(4 * width).pool(kAverage);
  builder.conv(8 * width).conv(8 * width).pool(kAverage);
  builder.conv(8 * width).conv(8 * width).pool(kAverage);
  return builder.classify(config.get_int("voters", 10, 1, 1000));
}

}  // namespace spikenm::graph
