// Positions of blocks that no trained parameter chose: at random, or by the size of their weights.
#pragma once

#include "spikenm/sparsity/layers.h"

namespace spikenm::sparsity {

// The k positions with the largest |w| of every block, largest first, ties to the lowest; |w| is
// added up over the channels that share a mask. [n_blocks, k] uint8.
at::Tensor largest_positions(const MaskableLayer& layer, int k);

// n draws from flat probabilities, with replacement or distinct. They depend on (seed, layer)
// alone. [n_blocks, n] uint8.
at::Tensor random_positions(const MaskableLayer& layer, bool replace, uint64_t seed);

}  // namespace spikenm::sparsity
