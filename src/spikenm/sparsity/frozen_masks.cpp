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
  const Tensor bits = at::empty(synapse.weight.sizes(), at::kByte);
  std::copy(mask.keep.begin(), mask.keep.end(), bits.mutable_data_ptr<uint8_t>());
  return {.synapse = &synapse,
          .mask = std::move(mask),
          .bits = bits,
          .keep = bits.to(synapse.weight.options()),
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

// Shows a mask as bytes on the CPU, which nobody writes to. Loading accepts 0 and 1 alone.
void visit_bits(nn::StateVisitor& visitor, const std::string& name, const Tensor& bits) {
  visitor.constant(name, bits);
  if (visitor.loads() && bits.gt(1).any().item<bool>())
    visitor.refuse(name, "found a value other than 0 and 1");
}

}  // namespace

void visit_masks(nn::StateVisitor& visitor, const Pruning& pruning, Masks& masks) {
  const bool makes = visitor.loads();
  if (makes) masks = harden_all(pruning);  // of the right layers and shapes

  for (LayerMask& m : masks.weights) {
    const std::string name = m.synapse->name + ".mask";
    visit_bits(visitor, name, m.bits);
    if (!makes) continue;
    const auto* const begin = m.bits.const_data_ptr<uint8_t>();
    m.mask.keep.assign(begin, begin + m.bits.numel());
    if (!nm::audit(m.mask).valid())
      visitor.refuse(name, "found weights that break the rule of the layer");
    m = make_layer_mask(*m.synapse, m.mask);
  }
  for (NeuronMask& m : masks.neurons) {
    const Tensor bits = m.keep.to(at::kCPU, at::kByte);
    visit_bits(visitor, m.neuron->name + ".mask", bits);
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
