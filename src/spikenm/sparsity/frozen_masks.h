// Masks that no longer change: what evaluation, finetuning and a loaded model use.
#pragma once

#include "spikenm/sparsity/method.h"

namespace spikenm::sparsity {

struct LayerMask {
  nn::Synapse* synapse = nullptr;
  nm::Mask mask;
  Tensor keep;  // the mask in the weight's shape and type
};

LayerMask make_layer_mask(nn::Synapse& synapse, nm::Mask mask);

// The mask that prune would freeze now, for every layer of the method.
std::vector<LayerMask> harden_all(const Method& method);

// W *= mask.
void apply_to_weights(const std::vector<LayerMask>& masks);

// The masks as weight hooks of their network, for as long as this lives; what was installed before
// is put back afterwards.
class FrozenHooks {
 public:
  explicit FrozenHooks(const std::vector<LayerMask>& masks);
  ~FrozenHooks();
  FrozenHooks(const FrozenHooks&) = delete;
  FrozenHooks& operator=(const FrozenHooks&) = delete;

 private:
  struct Installed;
  std::vector<std::unique_ptr<Installed>> installed_;
};

}  // namespace spikenm::sparsity
