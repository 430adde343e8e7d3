#include "spikenm/train/compact.h"

#include "spikenm/core/file.h"
#include "spikenm/core/json.h"
#include "spikenm/metrics/activity.h"
#include "spikenm/nn/run_pass.h"
#include "spikenm/sparsity/connectivity.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

std::string config_of(const std::string& method, const std::string& model) {
  return "[model]\nT = 2\n" + model + "[data]\ntrain_size = 100\ntest_size = 20\n[method]\n" +
         method;
}

// A model with other values than those that every network starts with, saved with its masks.
Recipe saved(const std::filesystem::path& path, const std::string& method,
             const std::string& model = "width = 8\n") {
  const Config config = Config::from_text(config_of(method, model), "test");
  Recipe recipe = read_recipe(config);
  {
    const at::NoGradGuard no_grad;
    for (nn::Norm& norm : recipe.model.network->norms()) {
      const at::Tensor places = at::arange(norm.state.gamma.numel(), at::kFloat);
      norm.state.gamma.copy_(1 + 0.5 * (places * 1.7).sin());
      norm.state.beta.copy_(1.5 + places.cos());
    }
    // Methods that choose at the end of an epoch by activity.
    sparsity::Pruning& pruning = *recipe.model.method;
    for (size_t g = 0; g < pruning.neurons().size(); ++g)
      if (const at::Tensor activity = pruning.activity(g); activity.defined())
        activity.copy_(2 + (at::arange(activity.numel(), at::kFloat) * (1.3 + 0.1 * g)).sin());
    pruning.after_step({.ends_epoch = true}, [](const at::Tensor&, const at::Tensor&) {});
  }
  const sparsity::Masks masks = sparsity::harden_all(*recipe.model.method);
  sparsity::apply_to_weights(masks);
  save_model(path, *recipe.model.network, masks, config.resolved_toml());
  return recipe;
}

struct Seen {
  at::Tensor scores;
  double sops = 0;
};

Seen run_on(nn::Network& network, const sparsity::Masks& masks, const at::Tensor& frames) {
  const at::NoGradGuard no_grad;
  const sparsity::FrozenHooks hooks(masks);
  metrics::ActivityObserver activity(network, masks);
  nn::RunPass pass(/*training=*/false, &activity);
  Seen seen{.scores = network.forward(pass, frames)};
  seen.sops = activity.sops_per_sample();
  return seen;
}

// The config of a method and of a model.
class CompactModel : public testing::TestWithParam<std::pair<const char*, const char*>> {};

constexpr const char* kSmall = "width = 8\n";
constexpr const char* kSew = "name = \"sew_resnet18\"\nwidth = 4\n";
constexpr const char* kResidual = "name = \"resnet19\"\nwidth = 4\n";
constexpr const char* kNsl = "name = \"nsl\"\nchannels = 0.5\n";
constexpr const char* kSca = "name = \"sca\"\nchannels = 0.5\n";

// Chains, and networks that add up neurons: those that meet keep the same channels.
INSTANTIATE_TEST_SUITE_P(Models, CompactModel,
                         testing::Values(std::pair{kNsl, kSmall}, std::pair{kNsl, kSew},
                                         std::pair{kNsl, kResidual}, std::pair{kSca, kSmall},
                                         std::pair{kSca, kSew}, std::pair{kSca, kResidual}));

TEST_P(CompactModel, GivesTheSameScoresOperationsAndConnections) {
  const test::TempDir dir;
  const auto path = dir / "model.safetensors";
  saved(path, GetParam().first, GetParam().second);
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
  const Seen before = run_on(network, whole.masks, frames);
  const Seen after = run_on(*small.recipe.model.network, small.masks, frames);
  EXPECT_GT(before.scores.abs().max().item<float>(), 0);
  EXPECT_TRUE(at::allclose(after.scores, before.scores, 1e-4, 1e-5));
  EXPECT_GT(before.sops, 0);
  EXPECT_NEAR(after.sops, before.sops, 1e-6 * before.sops);

  // All connections of the small one are those that were alive in the whole one.
  EXPECT_EQ(sparsity::count_connections(*small.recipe.model.network, small.masks).dense(),
            sparsity::count_connections(network, whole.masks).alive());
  EXPECT_EQ(whole.masks.weights[1].mask.kept(),
            small.recipe.model.network->synapses()[1].weight.numel());

  // Measured, so that `table` counts it.
  const Json result = Json::parse(read_file(dir / "small/result.json"));
  EXPECT_EQ(result["method"], std::string(GetParam().first).substr(8, 3));
  EXPECT_EQ(result["pattern"], "dense");
  EXPECT_EQ(result["weight_pct"], 100);
  EXPECT_TRUE(result["test_accuracy"].is_number());
}

TEST(Compact, WithoutMeasuringThereIsNoResult) {
  const test::TempDir dir;
  saved(dir / "model.safetensors", "name = \"nsl\"\nchannels = 0.5\n");
  compact_run(dir / "model.safetensors", dir / "small", {}, /*measures=*/false);
  EXPECT_FALSE(std::filesystem::exists(dir / "small/result.json"));
  EXPECT_TRUE(std::filesystem::exists(dir / "small/graph.toml"));
}

TEST(Compact, RefusesToAddUpNeuronsThatKeepDifferentChannels) {
  const test::TempDir dir;
  const auto path = dir / "model.safetensors";
  saved(path, kNsl, kSew);
  LoadedModel model = load_model(path);
  at::Tensor& stem = model.masks.neurons.front().keep;  // the first block adds to it
  stem = 1 - stem;
  EXPECT_ERROR(compact_network(model, "model.safetensors"), "model.safetensors", "adds up neurons",
               "different channels");
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
