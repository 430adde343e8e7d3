#include "spikenm/graph/models/chain.h"

namespace spikenm::graph {
namespace {

const IntKey kWidth{"width", 256, 1, 4096, "channels of each convolution"};
const IntKey kFc{"fc", 2048, 1, 1 << 20, "features of the first linear layer"};
const BoolKey kFcNorm{"fc_norm", false, "whether the first linear layer has a batch norm"};

}  // namespace

// UPR's CIFAR-10 network: three convolutions, max pool, three convolutions, max pool, fc1, fc2,
// vote. The linear layers, fc2 included, have neurons and no norm: spikes vote for classes.
Graph make_6conv2fc(const ModelSpec& spec, const Config& config) {
  const int64_t width = kWidth.read(config);
  const int64_t fc = kFc.read(config);
  const bool fc_norm = kFcNorm.read(config);
  ChainBuilder builder("6conv2fc", spec);
  for (int half = 0; half < 2; ++half)
    builder.conv(width).conv(width).conv(width).pool(PoolKind::kMax);
  return builder.linear(fc, {.norm = fc_norm}).classify(kVoters.read(config), /*neuron=*/true);
}

KeyList six_conv_two_fc_keys() {
  return {&kWidth, &kFc, &kFcNorm, &kVoters};
}

}  // namespace spikenm::graph
