#include "spikenm/graph/models/chain.h"

namespace spikenm::graph {

// UPR's CIFAR-10 network: three convolutions, max pool, three convolutions, max pool, fc1, fc2,
// vote. The linear layers have neurons and no norm, fc2 too: classes are voted by spikes.
Graph make_6conv2fc(const ModelSpec& spec, const Config& config) {
  const int64_t width = config.get_int("width", 256, 1, 4096);
  const int64_t fc = config.get_int("fc", 2048, 1, 1 << 20);
  const bool fc_norm = config.get<bool>("fc_norm", false);
  ChainBuilder builder("6conv2fc", spec);
  for (int half = 0; half < 2; ++half)
    builder.conv(width).conv(width).conv(width).pool(PoolKind::kMax);
  return builder.linear(fc, {.norm = fc_norm})
      .classify(config.get_int("voters", 10, 1, 1000), /*neuron=*/true);
}

}  // namespace spikenm::graph
