#include "spikenm/graph/models/chain.h"

namespace spikenm::graph {

// The DVS-Gesture network: ten convolutions in pairs, an average pool after each pair, an analog
// classifier, vote.
Graph make_vgg13(const ModelSpec& spec, const Config& config) {
  const int64_t width = config.get_int("width", 64, 1, 4096);
  ChainBuilder builder("vgg13", spec);
  for (const int64_t channels : {width, 2 * width, 4 * width, 8 * width, 8 * width})
    builder.conv(channels).conv(channels).pool(PoolKind::kAverage);
  return builder.classify(config.get_int("voters", 10, 1, 1000));
}

}  // namespace spikenm::graph
