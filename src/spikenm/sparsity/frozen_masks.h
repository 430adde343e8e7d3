// Masks that no longer change: evaluation, finetuning and a loaded model use them.
#pragma once

#include "spikenm/sparsity/pruning.h"

namespace spikenm::sparsity {

struct LayerMask {
  nn::Synapse* synapse = nullptr;
  nm::Mask mask;
  Tensor bits;  // the mask as bytes in the weight's shape, on the CPU; never written to
  Tensor keep;  // the mask in the weight's shape and type
  Tensor used;  // the weight that prune would write; undefined: W * keep
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

// Adds the masks that prune would freeze now, for all layers and neurons of one method.
void add_masks(const Method& method, Masks& masks);
// The masks that prune would freeze now, for all layers and neurons of the methods.
Masks harden_all(const Pruning& pruning);

// Shows frozen masks to the visitor. A visitor that loads replaces `masks` by new ones, for the
// layers and neurons of the methods.
void visit_masks(nn::StateVisitor& visitor, const Pruning& pruning, Masks& masks);

// W *= mask.
void apply_to_weights(const Masks& masks);
// Writes the weights that the masks' methods use instead, where they do; from then on W * keep is
// what is used.
void write_used_weights(Masks& masks);

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
