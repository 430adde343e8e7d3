// A convolution with few channels on a GPU, as one matrix product (kernels/patches.h).
#pragma once

#include "spikenm/ops/synapse.h"

namespace spikenm::ops {

// rows [N,C,H,W] -> [N*OH*OW, K]: the patch that each output place reads, tap by tap, channels
// innermost, then zeros up to K, the next multiple of 8. The result has the weight's type.
Tensor patches(const Tensor& rows, const Tensor& weight, const SynapseGeometry& geometry);

// weight [Cout,C,kh,kw] -> [Cout, K] in the same order, and back, contiguous.
Tensor patch_weight(const Tensor& weight);
Tensor from_patch_weight(const Tensor& matrix, at::IntArrayRef weight_sizes);

}  // namespace spikenm::ops
