#include "spikenm/graph/models/chain.h"

namespace spikenm::graph {
namespace {

const IntKey kWidth{"width", 64, 1, 4096, "channels of the first convolution, of 8 widths at most"};

}  // namespace

// UPR's CIFAR10-DVS network: eight convolutions, four average pools, an analog classifier, vote.
Graph make_vggsnn(const ModelSpec& spec, const Config& config) {
  const int64_t width = kWidth.read(config);
  constexpr auto kAverage = PoolKind::kAverage;
  ChainBuilder builder("vggsnn", spec);
  builder.conv(width).conv(2 * width).pool(kAverage);
  builder.conv(4 * width).conv(4 * width).pool(kAverage);
  builder.conv(8 * width).conv(8 * width).pool(kAverage);
  builder.conv(8 * width).conv(8 * width).pool(kAverage);
  return builder.classify(kVoters.read(config));
}

KeyList vggsnn_keys() {
  return {&kWidth, &kVoters};
}

}  // namespace spikenm::graph
