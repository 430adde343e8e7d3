#include "spikenm/sparsity/method.h"
#include "spikenm/sparsity/positions.h"

#include <ATen/ATen.h>

namespace spikenm::sparsity {
namespace {

// One-shot: the search trains every weight, and prune keeps the n largest |w| of each block.
class Magnitude : public Method {
 public:
  explicit Magnitude(std::vector<MaskableLayer> layers) : Method(std::move(layers)) {}

  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }

  [[nodiscard]] nm::Mask harden(size_t id) const override {
    return mask_from_draws(layers_[id], largest_positions(layers_[id], layers_[id].pattern.n));
  }
};

}  // namespace

std::unique_ptr<Method> make_magnitude(nn::Network& network, const Config& config, uint64_t) {
  return std::make_unique<Magnitude>(find_maskable_layers(network, config));
}

}  // namespace spikenm::sparsity
