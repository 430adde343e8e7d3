#include "spikenm/nn/models/builder.h"

namespace spikenm::nn {

// conv(width) pool conv(2 width) pool conv(2 width) pool classifier; average pools, as VGGSNN.
std::unique_ptr<Network> make_small_conv(const ModelSpec& spec, const Config& config) {
  const int64_t width = config.get_int("width", 16, 1, 4096);
  const auto kind =
      static_cast<ops::PoolKind>(config.get_choice("pool", "average", {"average", "max"}));
  return ChainBuilder(spec)
      .conv(width)
      .pool(kind)
      .conv(2 * width)
      .pool(kind)
      .conv(2 * width)
      .pool(kind)
      .classify(config.get_int("voters", 10, 1, 1000));
}

}  // namespace spikenm::nn
