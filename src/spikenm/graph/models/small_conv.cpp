#include "spikenm/graph/models/chain.h"

namespace spikenm::graph {

// conv(width) pool conv(2 width) pool conv(2 width) pool classifier; average pools, as VGGSNN.
Graph make_small_conv(const ModelSpec& spec, const Config& config) {
  const int64_t width = config.get_int("width", 16, 1, 4096);
  const auto kind = static_cast<PoolKind>(config.get_choice("pool", "average", pool_names()));
  return ChainBuilder("small_conv", spec)
      .conv(width)
      .pool(kind)
      .conv(2 * width)
      .pool(kind)
      .conv(2 * width)
      .pool(kind)
      .classify(config.get_int("voters", 10, 1, 1000));
}

}  // namespace spikenm::graph
