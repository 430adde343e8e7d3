#include "spikenm/graph/models/chain.h"

namespace spikenm::graph {
namespace {

const IntKey kWidth{"width", 64, 1, 4096,
                    "channels of the first two convolutions, of 8 widths at most"};

}  // namespace

// The DVS-Gesture network: ten convolutions in pairs, an average pool after each pair, an analog
// classifier, vote.
Graph make_vgg13(const ModelSpec& spec, const Config& config) {
  const int64_t width = kWidth.read(config);
  ChainBuilder builder("vgg13", spec);
  for (const int64_t channels : {width, 2 * width, 4 * width, 8 * width, 8 * width})
    builder.conv(channels).conv(channels).pool(PoolKind::kAverage);
  return builder.classify(kVoters.read(config));
}

KeyList vgg13_keys() {
  return {&kWidth, &kVoters};
}

}  // namespace spikenm::graph
