// The parameters that a mask is drawn from: one row of logits per block, unconstrained, always
// fp32.
#pragma once

#include "spikenm/sparsity/layers.h"

#include <vector>

namespace spikenm::sparsity {

// [n_blocks, per_block] from N(0, std^2); values depend only on (seed, layer, index).
at::Tensor make_logits(const MaskableLayer& layer, int64_t per_block, double std, uint64_t seed);

// How undecided the logits of some layers are, [n_blocks, choices] each: the mean entropy of
// softmax(logits) over all blocks, as a share of log(choices). 1: all choices are equally likely;
// 0: one is certain, or there are no blocks.
double logit_entropy(const std::vector<at::Tensor>& layers);

}  // namespace spikenm::sparsity
