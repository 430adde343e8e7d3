#include "spikenm/graph/models/chain.h"

namespace spikenm::graph {
namespace {

const IntKey kWidth{"width", 16, 1, 4096,
                    "channels of the first convolution; the others have twice as many"};
const ChoiceKey kPool{"pool", "average", pool_names(), "how each convolution's output is halved"};

}  // namespace

// conv(width) pool conv(2 width) pool conv(2 width) pool classifier; average pools, like VGGSNN.
Graph make_small_conv(const ModelSpec& spec, const Config& config) {
  const int64_t width = kWidth.read(config);
  const auto kind = static_cast<PoolKind>(kPool.read(config));
  return ChainBuilder("small_conv", spec)
      .conv(width)
      .pool(kind)
      .conv(2 * width)
      .pool(kind)
      .conv(2 * width)
      .pool(kind)
      .classify(kVoters.read(config));
}

KeyList small_conv_keys() {
  return {&kWidth, &kPool, &kVoters};
}

}  // namespace spikenm::graph
