// The parameters a mask is drawn from: a row of logits a block, unconstrained, always fp32.
#pragma once

#include "spikenm/sparsity/layers.h"

namespace spikenm::sparsity {

// [n_blocks, per_block] from N(0, std^2); values depend on (seed, layer, index) alone.
at::Tensor make_logits(const MaskableLayer& layer, int64_t per_block, double std, uint64_t seed);

}  // namespace spikenm::sparsity
