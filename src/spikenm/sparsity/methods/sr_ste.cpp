#include "spikenm/ops/nm_sample.h"
#include "spikenm/sparsity/method.h"
#include "spikenm/sparsity/methods/sr_ste_keys.h"
#include "spikenm/sparsity/positions.h"
#include "spikenm/sparsity/unmasked_gradient.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::sparsity {
namespace {

// [Zhou21]: the n largest |w| of every block, chosen again at every step. All weights learn, and
// those outside the mask are pulled to zero, so that the mask does not change back and forth.
class SrSte : public Method {
 public:
  SrSte(std::vector<MaskableLayer> layers, double decay)
      : Method(std::move(layers)), decay_(decay) {
    masks_.resize(layers_.size());
    begin_step({});  // a mask exists before the first step
  }

  void begin_step(const StepInfo&) override {
    for (const MaskableLayer& layer : layers_)
      masks_[layer.id] = ops::mask_of(layer.layout, largest_positions(layer, layer.pattern.n),
                                      layer.synapse->weight);
  }

  Tensor effective_weight(size_t id, const Tensor& weight) override {
    return straight_through(weight, masks_[id].keep);
  }

  // dL/dW += decay (1 - mask) W.
  void after_backward(const StepInfo&) override {
    const at::NoGradGuard no_grad;
    for (const MaskableLayer& layer : layers_) {
      const Tensor& weight = layer.synapse->weight;
      if (weight.grad().defined())
        weight.mutable_grad().add_(weight * (1 - masks_[layer.id].keep), decay_);
    }
  }

  [[nodiscard]] nm::Mask harden(size_t id) const override {
    return mask_from_draws(layers_[id], largest_positions(layers_[id], layers_[id].pattern.n));
  }

 private:
  double decay_;
  std::vector<ops::BlockMask> masks_;  // the current mask of each layer
};

}  // namespace

std::unique_ptr<Method> make_sr_ste(nn::Network& network, const Config& config, uint64_t) {
  const double decay = sr_ste_key::kDecay.read(config);
  return std::make_unique<SrSte>(find_maskable_layers(network, config), decay);
}

}  // namespace spikenm::sparsity
