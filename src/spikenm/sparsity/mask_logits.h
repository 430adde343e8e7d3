// The parameters that a mask is drawn from: one row of logits per block, unconstrained, always
// fp32.
#pragma once

#include "spikenm/sparsity/layers.h"

namespace spikenm::sparsity {

// [n_blocks, per_block] from N(0, std^2); values depend only on (seed, layer, index).
at::Tensor make_logits(const MaskableLayer& layer, int64_t per_block, double std, uint64_t seed);

}  // namespace spikenm::sparsity
