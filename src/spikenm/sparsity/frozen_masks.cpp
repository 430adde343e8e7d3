#include "spikenm/sparsity/frozen_masks.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::sparsity {

struct FrozenHooks::OnWeights : nn::WeightHook {
  explicit OnWeights(const LayerMask& mask)
      : synapse(mask.synapse), keep(mask.keep), used(mask.used), previous(synapse->hook) {
    synapse->hook = this;
  }
  ~OnWeights() override { synapse->hook = previous; }
  Tensor effective(const Tensor& weight) override { return used.defined() ? used : weight * keep; }

  nn::Synapse* synapse;
  Tensor keep, used;
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
  return {.synapse = &synapse,
          .mask = std::move(mask),
          .keep = keep.to(synapse.weight.options()),
          .used = {}};
}

void add_masks(const Method& method, Masks& masks) {
  for (const MaskableLayer& layer : method.layers()) {
    masks.weights.push_back(make_layer_mask(*layer.synapse, method.harden(layer.id)));
    masks.weights.back().used = method.used_weight(layer.id);
  }
  for (const MaskableNeurons& neurons : method.neurons())
    masks.neurons.push_back({.neuron = neurons.neuron, .keep = method.harden_neurons(neurons.id)});
}

Masks harden_all(const Pruning& pruning) {
  Masks masks;
  for (const Method* const method : pruning.all()) add_masks(*method, masks);
  return masks;
}

namespace {

// A mask as bytes on the CPU; loading accepts 0 and 1 alone.
Tensor visit_bits(nn::StateVisitor& visitor, const std::string& name, const Tensor& keep) {
  const Tensor bits = keep.to(at::kCPU, at::kByte);
  visitor.tensor(name, bits);
  if (bits.gt(1).any().item<bool>()) visitor.refuse(name, "found a value other than 0 and 1");
  return bits;
}

}  // namespace

void visit_masks(nn::StateVisitor& visitor, const Pruning& pruning, Masks& masks) {
  const bool makes = visitor.loads();
  if (makes) masks = harden_all(pruning);  // of the right layers and shapes

  for (LayerMask& m : masks.weights) {
    const std::string name = m.synapse->name + ".mask";
    const Tensor bits = visit_bits(visitor, name, m.keep);
    if (!makes) continue;
    const auto* const begin = bits.const_data_ptr<uint8_t>();
    m.mask.keep.assign(begin, begin + bits.numel());
    if (!nm::audit(m.mask).valid())
      visitor.refuse(name, "found weights that break the rule of the layer");
    m = make_layer_mask(*m.synapse, m.mask);
  }
  for (NeuronMask& m : masks.neurons) {
    const Tensor bits = visit_bits(visitor, m.neuron->name + ".mask", m.keep);
    if (makes) m.keep = bits.to(m.keep.options());
  }
}

void apply_to_weights(const Masks& masks) {
  const at::NoGradGuard no_grad;
  for (const LayerMask& m : masks.weights) m.synapse->weight.mul_(m.keep);
}

void write_used_weights(Masks& masks) {
  const at::NoGradGuard no_grad;
  for (LayerMask& m : masks.weights) {
    if (m.used.defined()) m.synapse->weight.copy_(m.used);
    m.used.reset();
  }
}

FrozenHooks::FrozenHooks(const Masks& masks) {
  for (const LayerMask& m : masks.weights) on_weights_.push_back(std::make_unique<OnWeights>(m));
  for (const NeuronMask& m : masks.neurons) on_spikes_.push_back(std::make_unique<OnSpikes>(m));
}

FrozenHooks::~FrozenHooks() = default;

}  // namespace spikenm::sparsity
