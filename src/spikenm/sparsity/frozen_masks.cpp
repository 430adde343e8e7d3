#include "spikenm/sparsity/frozen_masks.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::sparsity {

struct FrozenHooks::OnWeights : nn::WeightHook {
  explicit OnWeights(const LayerMask& mask)
      : synapse(mask.synapse), keep(mask.keep), previous(synapse->hook) {
    synapse->hook = this;
  }
  ~OnWeights() override { synapse->hook = previous; }
  Tensor effective(const Tensor& weight) override { return weight * keep; }

  nn::Synapse* synapse;
  Tensor keep;
  nn::WeightHook* previous;
};

struct FrozenHooks::OnSpikes : nn::SpikeHook {
  explicit OnSpikes(const NeuronMask& mask)
      : neuron(mask.neuron), keep(mask.keep), previous(neuron->hook) {
    neuron->hook = this;
  }
  ~OnSpikes() override { neuron->hook = previous; }
  Tensor effective(const Tensor& spikes) override { return spikes * keep.to(spikes.scalar_type()); }

  nn::Neuron* neuron;
  Tensor keep;
  nn::SpikeHook* previous;
};

LayerMask make_layer_mask(nn::Synapse& synapse, nm::Mask mask) {
  Tensor keep = at::empty(synapse.weight.sizes(), at::kByte);
  std::copy(mask.keep.begin(), mask.keep.end(), keep.mutable_data_ptr<uint8_t>());
  return {.synapse = &synapse, .mask = std::move(mask), .keep = keep.to(synapse.weight.options())};
}

Masks harden_all(const Method& method) {
  Masks masks;
  for (const MaskableLayer& layer : method.layers())
    masks.weights.push_back(make_layer_mask(*layer.synapse, method.harden(layer.id)));
  for (const MaskableNeurons& neurons : method.neurons())
    masks.neurons.push_back({.neuron = neurons.neuron, .keep = method.harden_neurons(neurons.id)});
  return masks;
}

void apply_to_weights(const Masks& masks) {
  const at::NoGradGuard no_grad;
  for (const LayerMask& m : masks.weights) m.synapse->weight.mul_(m.keep);
}

FrozenHooks::FrozenHooks(const Masks& masks) {
  for (const LayerMask& m : masks.weights) on_weights_.push_back(std::make_unique<OnWeights>(m));
  for (const NeuronMask& m : masks.neurons) on_spikes_.push_back(std::make_unique<OnSpikes>(m));
}

FrozenHooks::~FrozenHooks() = default;

}  // namespace spikenm::sparsity
