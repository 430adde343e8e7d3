// The layers that a method may mask, and the rule of each.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/nm/mask.h"
#include "spikenm/nn/network.h"

#include <string>
#include <vector>

namespace spikenm::sparsity {

struct MaskableLayer {
  size_t id = 0;  // index in the list
  nn::Synapse* synapse = nullptr;
  nm::NmPattern pattern;  // with rule kNm
  nm::BlockLayout layout;
  nm::Mask::Kind rule = nm::Mask::Kind::kNm;
  [[nodiscard]] std::string rule_text() const { return nm::rule_text(rule, pattern); }
};

// Reads pattern, share, share_taps, layers (globs), layer_pattern, first_layer and last_layer from
// the [method] section and returns the layers to mask, in forward order. Throws Error if a glob matches no layer
// or no layer is left.
std::vector<MaskableLayer> find_maskable_layers(nn::Network& network, const Config& method,
                                                nm::Axis axis);
// The same with the axis that [method] names, `in` by default.
std::vector<MaskableLayer> find_maskable_layers(nn::Network& network, const Config& method);

// For a rule without blocks: reads layers, first_layer and last_layer.
std::vector<MaskableLayer> find_layers(nn::Network& network, const Config& method,
                                       nm::Mask::Kind rule);

// The share of all weights that is one for each layer.
double least_weight_share(const std::vector<MaskableLayer>& layers);
// An Error begins with `what` where a share of all weights is less than that.
void check_weight_share(const std::vector<MaskableLayer>& layers, double share,
                        const std::string& what);

// The mask of a layer without blocks that keeps what is not 0 in `keep`, of the weight's shape.
nm::Mask mask_from_tensor(const MaskableLayer& layer, const at::Tensor& keep);

// The mask of a layer whose blocks keep the positions in `draws` [n_blocks, k] (uint8).
nm::Mask mask_from_draws(const MaskableLayer& layer, const at::Tensor& draws);

}  // namespace spikenm::sparsity
