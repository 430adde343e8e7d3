#include "spikenm/train/compact.h"

#include "spikenm/nn/run_pass.h"
#include "spikenm/sparsity/connectivity.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

std::string config_of(const std::string& method) {
  return "[model]\nT = 2\nwidth = 8\n[data]\ntrain_size = 100\ntest_size = 20\n[method]\n" + method;
}

// A model with other values than those that every network starts with, saved with its masks.
Recipe saved(const std::filesystem::path& path, const std::string& method) {
  const Config config = Config::from_text(config_of(method), "test");
  Recipe recipe = read_recipe(config);
  {
    const at::NoGradGuard no_grad;
    for (nn::Norm& norm : recipe.model.network->norms()) {
      const at::Tensor places = at::arange(norm.state.gamma.numel(), at::kFloat);
      norm.state.gamma.copy_(1 + 0.5 * (places * 1.7).sin());
      norm.state.beta.copy_(1.5 + places.cos());
    }
  }
  const sparsity::Masks masks = sparsity::harden_all(*recipe.model.method);
  sparsity::apply_to_weights(masks);
  save_model(path, *recipe.model.network, masks, config.resolved_toml());
  return recipe;
}

at::Tensor scores_of(nn::Network& network, const at::Tensor& frames) {
  const at::NoGradGuard no_grad;
  nn::RunPass pass(/*training=*/false);
  return network.forward(pass, frames);
}

TEST(Compact, TheSmallerNetworkGivesTheSameScores) {
  const test::TempDir dir;
  const auto path = dir / "model.safetensors";
  saved(path, "name = \"nsl\"\nchannels = 0.5\n");
  LoadedModel whole = load_model(path);
  const CompactedRun found = compact_run(path, dir / "small", {});
  LoadedModel small = load_model(dir / "small");
  EXPECT_TRUE(small.masks.weights.empty());
  EXPECT_LT(found.weights, found.weights_before / 2);

  nn::Network& network = *whole.recipe.model.network;
  const auto& frame = network.frame();
  const at::Tensor frames =
      at::arange(2 * 3 * frame.channels * frame.height * frame.width, at::kFloat)
          .mul(0.37)
          .sin()
          .gt(0.2)
          .to(at::kFloat)
          .view({2, 3, frame.channels, frame.height, frame.width});
  const sparsity::FrozenHooks hooks(whole.masks);
  const at::Tensor wanted = scores_of(network, frames);
  EXPECT_GT(wanted.abs().max().item<float>(), 0);
  EXPECT_TRUE(at::allclose(scores_of(*small.recipe.model.network, frames), wanted, 1e-4, 1e-5));

  // All connections of the small one are those that were alive in the whole one.
  EXPECT_EQ(sparsity::count_connections(*small.recipe.model.network, small.masks).dense(),
            sparsity::count_connections(network, whole.masks).alive());
  EXPECT_EQ(whole.masks.weights[1].mask.kept(),
            small.recipe.model.network->synapses()[1].weight.numel());
}

TEST(Compact, RefusesMasksOfAnotherRule) {
  const test::TempDir dir;
  const auto path = dir / "model.safetensors";
  saved(path, "name = \"magnitude\"\npattern = \"2:4\"\n");
  EXPECT_ERROR(compact_run(path, dir / "small", {}), "model.safetensors", "conv1", "2:4",
               "channel");
  saved(path, "name = \"dense\"\n");
  EXPECT_ERROR(compact_run(path, dir / "small", {}), "no masks");
  EXPECT_FALSE(std::filesystem::exists(dir / "small"));
}

}  // namespace
}  // namespace spikenm::train
