// Masks that no longer change: evaluation, finetuning and a loaded model use them.
#pragma once

#include "spikenm/sparsity/method.h"

namespace spikenm::sparsity {

struct LayerMask {
  nn::Synapse* synapse = nullptr;
  nm::Mask mask;
  Tensor keep;  // the mask in the weight's shape and type
};

struct NeuronMask {
  nn::Neuron* neuron = nullptr;
  Tensor keep;  // [C,H,W] 1 where the neuron is kept
};

// Which parts of a network are kept: weights, and also neurons if a method prunes them.
struct Masks {
  std::vector<LayerMask> weights;
  std::vector<NeuronMask> neurons;
};

LayerMask make_layer_mask(nn::Synapse& synapse, nm::Mask mask);

// The masks that prune would freeze now, for all layers and neurons of the method.
Masks harden_all(const Method& method);

// Shows frozen masks to the visitor. A visitor that loads replaces `masks` by new ones, for the
// layers and neurons of the method.
void visit_masks(nn::StateVisitor& visitor, const Method& method, Masks& masks);

// W *= mask.
void apply_to_weights(const Masks& masks);

// Installs the masks as hooks of their network for as long as this lives; afterwards the earlier
// hooks are restored.
class FrozenHooks {
 public:
  explicit FrozenHooks(const Masks& masks);
  ~FrozenHooks();
  FrozenHooks(const FrozenHooks&) = delete;
  FrozenHooks& operator=(const FrozenHooks&) = delete;

 private:
  struct OnWeights;
  struct OnSpikes;
  std::vector<std::unique_ptr<OnWeights>> on_weights_;
  std::vector<std::unique_ptr<OnSpikes>> on_spikes_;
};

}  // namespace spikenm::sparsity
