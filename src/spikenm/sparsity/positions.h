// Positions in blocks that no trained parameter chooses: random ones, or those of the largest
// weights.
#pragma once

#include "spikenm/sparsity/layers.h"

namespace spikenm::sparsity {

// [n_blocks, k] uint8: the k positions with the largest |w| of every block, largest first, the
// lowest of equals first. |w| is added up over the channels that share a mask.
at::Tensor largest_positions(const MaskableLayer& layer, int k);

// [n_blocks, n] uint8: n draws with equal probabilities, with replacement or distinct. They depend
// only on (seed, layer).
at::Tensor random_positions(const MaskableLayer& layer, bool replace, uint64_t seed);

}  // namespace spikenm::sparsity
