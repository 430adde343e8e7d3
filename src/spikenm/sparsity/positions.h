// Positions in blocks that no trained parameter chooses: random ones, or those of the largest
// weights.
#pragma once

#include "spikenm/sparsity/layers.h"

namespace spikenm::sparsity {

// [n_blocks, k] uint8: the k positions with the largest |w| of every block, largest first, the
// lowest of equals first. |w| is added up over the weight blocks that share a mask.
at::Tensor largest_positions(const MaskableLayer& layer, int k);

// [n_blocks, n] uint8: n draws with equal probabilities, with replacement or distinct. They depend
// only on (seed, layer).
at::Tensor random_positions(const MaskableLayer& layer, bool replace, uint64_t seed);

// Shows the positions `draws` [n_blocks, n..m] that the layer's blocks keep, and their number per
// block. Loading makes the tensor anew and accepts nothing but positions of a block.
void visit_positions(nn::StateVisitor& visitor, const MaskableLayer& layer, at::Tensor& draws);

}  // namespace spikenm::sparsity
