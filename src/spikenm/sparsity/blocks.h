// A layer's elements seen as its blocks, only by strides: on any device, without a copy.
#pragma once

#include "spikenm/nm/grouping.h"

#include <ATen/core/Tensor.h>

namespace spikenm::sparsity {

// The elements of x that lie in blocks, as a view [n_channels, rows * taps, blocks_per_row, m]. x must
// be contiguous and have the weight's shape.
at::Tensor block_view(const nm::BlockLayout& layout, const at::Tensor& x);

// x added up over the weight blocks that share a mask: [n_blocks, m].
at::Tensor block_sums(const nm::BlockLayout& layout, const at::Tensor& x);

// `blocks` [n_blocks, m] in the shape and type of `weight`, the same for all weight blocks that
// share a mask; 1 on tails.
at::Tensor spread_blocks(const nm::BlockLayout& layout, const at::Tensor& blocks,
                         const at::Tensor& weight);

}  // namespace spikenm::sparsity
