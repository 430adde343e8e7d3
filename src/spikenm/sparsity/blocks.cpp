#include "spikenm/sparsity/blocks.h"

#include <ATen/ATen.h>

namespace spikenm::sparsity {
namespace {

// Groups of channels that share a mask; the last may have fewer than `share`.
int64_t channel_groups(const nm::BlockLayout& layout) {
  return (layout.n_channels + layout.share - 1) / layout.share;
}

}  // namespace

at::Tensor block_view(const nm::BlockLayout& layout, const at::Tensor& x) {
  return x.as_strided(
      {layout.n_channels, layout.rows * layout.taps, layout.blocks_per_row, layout.m},
      {layout.channel_stride, 1, layout.block_stride, layout.position_stride});
}

at::Tensor block_sums(const nm::BlockLayout& layout, const at::Tensor& x) {
  at::Tensor channels = block_view(layout, x);
  if (layout.taps > 1) channels = channels.sum(1, /*keepdim=*/true);
  const int64_t groups = channel_groups(layout),
                missing = groups * layout.share - layout.n_channels;
  if (missing > 0) channels = at::constant_pad_nd(channels, {0, 0, 0, 0, 0, 0, 0, missing});
  return channels.reshape({groups, layout.share, layout.rows, layout.blocks_per_row, layout.m})
      .sum(1)
      .view({layout.n_blocks, layout.m});
}

at::Tensor spread_blocks(const nm::BlockLayout& layout, const at::Tensor& blocks,
                         const at::Tensor& weight) {
  at::Tensor out = at::ones_like(weight);
  block_view(layout, out)
      .copy_(blocks.view({channel_groups(layout), 1, layout.rows, layout.blocks_per_row, layout.m})
                 .expand({-1, layout.share, -1, -1, -1})
                 .flatten(0, 1)
                 .narrow(0, 0, layout.n_channels)
                 .expand({-1, layout.rows * layout.taps, -1, -1}));
  return out;
}

}  // namespace spikenm::sparsity
