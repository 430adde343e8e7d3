// A pruning method in thirty lines: the mask keeps the first n weights of every block. It is used
// here without being registered; docs/extending.md says what makes it a method of the program.
#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/trainer.h"

#include <ATen/ATen.h>

#include <cstdio>
#include <filesystem>

namespace {

using spikenm::sparsity::LayerMask;
using spikenm::sparsity::MaskableLayer;

class FirstN : public spikenm::sparsity::Method {
 public:
  explicit FirstN(std::vector<MaskableLayer> layers) : Method(std::move(layers)) {
    for (const MaskableLayer& layer : layers_) {
      // Draws [blocks, n]: every block keeps positions 0 .. n-1.
      const at::Tensor draws =
          at::arange(layer.pattern.n, at::kByte).expand({layer.layout.n_blocks, -1});
      masks_.push_back(spikenm::sparsity::make_layer_mask(
          *layer.synapse, spikenm::sparsity::mask_from_draws(layer, draws)));
    }
  }
  // The weight every forward of the search uses; differentiable.
  at::Tensor effective_weight(size_t id, const at::Tensor& weight) override {
    return weight * masks_[id].keep;
  }
  // What prune freezes.
  [[nodiscard]] spikenm::nm::Mask harden(size_t id) const override { return masks_[id].mask; }

 private:
  std::vector<LayerMask> masks_;
};

}  // namespace

int main() {
  using namespace spikenm;
  const Config config = Config::from_text(
      "[data]\ntrain_size = 200\ntest_size = 50\n[model]\nname = 'small_conv'\nwidth = 4\nT = 4\n"
      "[method]\nname = 'dense'\n[train]\nepochs = 2\nsearch_epochs = 1\nbatch_size = 20\n",
      "example");
  train::Recipe recipe = train::read_recipe(config);
  auto layers = sparsity::find_maskable_layers(*recipe.model.network, Config(), nm::Axis::kIn);
  recipe.model.method =
      std::make_unique<sparsity::Pruning>(std::make_unique<FirstN>(std::move(layers)));

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "spikenm_custom_method";
  RunDir run = RunDir::create(folder, /*force=*/true);
  train::Trainer trainer(recipe, run, {.title = "first-n", .lines = false});
  trainer.train();
  int64_t kept = 0, weights = 0;
  for (const LayerMask& m : trainer.masks().weights) {
    kept += m.mask.kept();
    weights += m.mask.layout.numel;
  }
  std::printf("first-n: %lld of %lld weights kept, %zu layers\n", static_cast<long long>(kept),
              static_cast<long long>(weights), trainer.masks().weights.size());
  std::filesystem::remove_all(folder);
  return kept < weights ? 0 : 1;
}
