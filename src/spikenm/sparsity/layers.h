// The layers that a method may mask, and the rule of each.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/nm/mask.h"
#include "spikenm/nn/network.h"

#include <vector>

namespace spikenm::sparsity {

struct MaskableLayer {
  size_t id = 0;  // index in the list
  nn::Synapse* synapse = nullptr;
  nm::NmPattern pattern;
  nm::BlockLayout layout;
};

// Reads pattern, share, share_taps, layers (globs), layer_pattern, first_layer and last_layer from
// the [method] section and returns the layers to mask, in forward order. Throws Error if a glob matches no layer
// or no layer is left.
std::vector<MaskableLayer> find_maskable_layers(nn::Network& network, const Config& method,
                                                nm::Axis axis);
// The same with the axis that [method] names, `in` by default.
std::vector<MaskableLayer> find_maskable_layers(nn::Network& network, const Config& method);

// The mask of a layer whose blocks keep the positions in `draws` [n_blocks, k] (uint8).
nm::Mask mask_from_draws(const MaskableLayer& layer, const at::Tensor& draws);

}  // namespace spikenm::sparsity
