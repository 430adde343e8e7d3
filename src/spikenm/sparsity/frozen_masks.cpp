#include "spikenm/sparsity/frozen_masks.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::sparsity {

struct FrozenHooks::Installed : nn::WeightHook {
  Installed(nn::Synapse* layer, Tensor mask)
      : synapse(layer), keep(std::move(mask)), previous(layer->hook) {}
  Tensor effective(const Tensor& weight) override { return weight * keep; }

  nn::Synapse* synapse;
  Tensor keep;
  nn::WeightHook* previous;
};

LayerMask make_layer_mask(nn::Synapse& synapse, nm::Mask mask) {
  Tensor keep = at::empty(synapse.weight.sizes(), at::kByte);
  std::copy(mask.keep.begin(), mask.keep.end(), keep.mutable_data_ptr<uint8_t>());
  return {
      .synapse = &synapse, .mask = std::move(mask), .keep = keep.to(synapse.weight.scalar_type())};
}

std::vector<LayerMask> harden_all(const Method& method) {
  std::vector<LayerMask> masks;
  for (const MaskableLayer& layer : method.layers())
    masks.push_back(make_layer_mask(*layer.synapse, method.harden(layer.id)));
  return masks;
}

void apply_to_weights(const std::vector<LayerMask>& masks) {
  const at::NoGradGuard no_grad;
  for (const LayerMask& m : masks) m.synapse->weight.mul_(m.keep);
}

FrozenHooks::FrozenHooks(const std::vector<LayerMask>& masks) {
  for (const LayerMask& m : masks) {
    installed_.push_back(std::make_unique<Installed>(m.synapse, m.keep));
    m.synapse->hook = installed_.back().get();
  }
}

FrozenHooks::~FrozenHooks() {
  for (const auto& hook : installed_) hook->synapse->hook = hook->previous;
}

}  // namespace spikenm::sparsity
