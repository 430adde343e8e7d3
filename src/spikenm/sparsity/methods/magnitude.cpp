#include "spikenm/ops/nm_mask.h"
#include "spikenm/sparsity/method.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::sparsity {
namespace {

// One-shot: the search trains every weight, and prune keeps the n largest |w| of each block.
class Magnitude : public Method {
 public:
  explicit Magnitude(std::vector<MaskableLayer> layers) : Method(std::move(layers)) {}

  Tensor effective_weight(size_t, const Tensor& weight) override { return weight; }

  [[nodiscard]] nm::Mask harden(size_t id) const override {
    const at::NoGradGuard no_grad;
    const MaskableLayer& layer = layers_[id];
    // Zero logits and a prior of one: the value of a position is log |w|.
    ops::MaskDraw draw{.layout = layer.layout, .kappa = 1};
    const Tensor zero = at::zeros({layer.layout.n_blocks, layer.layout.m}, at::kFloat);
    return mask_from_draws(layer,
                           ops::top_positions(draw, layer.pattern.n, zero, layer.synapse->weight));
  }
};

}  // namespace

std::unique_ptr<Method> make_magnitude(nn::Network& network, const Config& config, uint64_t) {
  const nm::Axis axis = nm::parse_axis(config.get("axis", "in"), config.full_key("axis"));
  return std::make_unique<Magnitude>(find_maskable_layers(network, config, axis));
}

}  // namespace spikenm::sparsity
