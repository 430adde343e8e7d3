#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/sparsity/methods/random_keys.h"
#include "spikenm/sparsity/positions.h"

#include <ATen/ATen.h>

namespace spikenm::sparsity {
namespace {

// The control: drawn once from equal logits, by the same rule as the method it is compared with, so
// that weight % is the same.
class Random : public Method {
 public:
  Random(std::vector<MaskableLayer> layers, bool replace, uint64_t seed)
      : Method(std::move(layers)) {
    for (const MaskableLayer& layer : layers_)
      masks_.push_back(make_layer_mask(
          *layer.synapse, mask_from_draws(layer, random_positions(layer, replace, seed))));
  }

  Tensor effective_weight(size_t id, const Tensor& weight) override {
    return weight * masks_[id].keep;
  }
  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }
  [[nodiscard]] nm::Mask harden(size_t id) const override { return masks_[id].mask; }
  // The mask never changes: no search is too short.
  [[nodiscard]] std::vector<std::string> doubts(int64_t) const override { return {}; }

 private:
  std::vector<LayerMask> masks_;
};

}  // namespace

std::unique_ptr<Method> make_random(nn::Network& network, const Config& config, uint64_t seed) {
  const bool replace = random_key::kDraws.read(config) == 0;
  return std::make_unique<Random>(find_maskable_layers(network, config), replace, seed);
}

}  // namespace spikenm::sparsity
