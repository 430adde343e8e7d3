// Masks that no longer change: what evaluation, finetuning and a loaded model use.
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

// What of a network lives: weights, and neurons where a method prunes them too.
struct Masks {
  std::vector<LayerMask> weights;
  std::vector<NeuronMask> neurons;
};

LayerMask make_layer_mask(nn::Synapse& synapse, nm::Mask mask);

// The masks that prune would freeze now, for all layers and neurons of the method.
Masks harden_all(const Method& method);

// W *= mask.
void apply_to_weights(const Masks& masks);

// The masks as hooks of their network, for as long as this lives; what was installed before
// is put back afterwards.
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
