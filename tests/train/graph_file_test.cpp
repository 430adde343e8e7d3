// Networks that come from a file.
#include "spikenm/core/file.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/train/recipe.h"
#include "spikenm/train/step.h"
#include "support/expect_error.h"
#include "support/small_models.h"
#include "support/temp_dir.h"
#include "support/tensors.h"

namespace spikenm::train {
namespace {

std::unique_ptr<nn::Network> train_two_steps(graph::Graph graph) {
  auto network = std::make_unique<nn::Network>(std::move(graph), /*seed=*/3);
  Stepper stepper(*network, /*T=*/3, losses().find("ce"), {}, 0);
  const BatchTensors batch{.frames = test::normal_tensor({3, 4, 2, 33, 32}, at::kFloat, 1, 2),
                           .labels = at::arange(4)};
  for (int step = 0; step < 2; ++step) stepper.step(batch, {}, 0.01, {});
  return network;
}

TEST(GraphFile, EveryNetworkTrainsFromItsFileToTheSameBits) {
  graph::ModelSpec spec{.frame = {2, 33, 32}, .classes = graph::numbered_classes(4)};
  spec.neuron.params.threshold = 0.3;
  const test::TempDir dir;
  for (const std::string& name : graph::models().names()) {
    const graph::Graph built_in = test::small_model(name, spec);
    write_file_atomically(dir / "net.toml", graph::to_toml(built_in));
    write_file_atomically(dir / "net.json", graph::graph_to_json(built_in).dump());
    const auto wanted = train_two_steps(built_in);
    for (const char* file : {"net.toml", "net.json"}) {
      const auto found = train_two_steps(graph::read_graph_file(dir / file));
      const auto a = wanted->parameters(), b = found->parameters();
      ASSERT_EQ(a.size(), b.size());
      for (size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].name, b[i].name);
        EXPECT_TRUE(test::tensors_identical(a[i].tensor, b[i].tensor)) << name << " " << a[i].name;
      }
    }
  }
}

// A config that names a network's file, which lies beside it.
class ModelOfFile : public testing::Test {
 protected:
  ModelOfFile() {
    const Config config =
        Config::from_text("[model]\nwidth = 4\n[data]\ntrain_size = 100\ntest_size = 20\n", "");
    write_file_atomically(dir / "net.toml", graph::to_toml(graph_from_config(config)));
  }
  Config config(const std::string& more) {
    write_file_atomically(dir / "run.toml",
                          "[data]\ntrain_size = 100\ntest_size = 20\n[method]\nname = 'dense'\n"
                          "[model]\nfile = 'net.toml'\nT = 3\n" +
                              more);
    return Config::from_file(dir / "run.toml");
  }
  const test::TempDir dir;
};

TEST_F(ModelOfFile, IsTheNetworkOfItsRecipe) {
  const Recipe recipe = read_recipe(config(""));
  EXPECT_EQ(recipe.model.network->graph().name(), "small_conv");
  EXPECT_EQ(recipe.model.network->synapses().front().shape().cout, 4);
  EXPECT_EQ(recipe.model.T, 3);
}

TEST_F(ModelOfFile, TakesThePlaceOfWhatTheConfigSaysOfTheNetwork) {
  EXPECT_NO_THROW(read_recipe(config("width = 9\nname = 'mlp'\n[neuron]\ntau = 4.0\n")));
  Config given = config("");
  given.override_with("model.width=9");
  EXPECT_ERROR(read_recipe(given), "model.width: has no effect with model.file");
}

TEST_F(ModelOfFile, ThatDoesNotFitTheDataIsRefused) {
  Config small = config("");
  write_file_atomically(dir / "net.toml", graph::to_toml(test::tiny_graph()));
  EXPECT_ERROR(read_recipe(small), "net.toml", "frames of 4x6x5", "the data has 2x34x34");
  const graph::ModelSpec spec{.frame = {2, 34, 34}, .classes = graph::numbered_classes(3)};
  write_file_atomically(dir / "net.toml", graph::to_toml(test::build_graph("mlp", "", spec)));
  EXPECT_ERROR(read_recipe(config("")), "net.toml", "3 classes", "the data has 10");
  write_file_atomically(dir / "net.toml", "format = 'other'\n");
  EXPECT_ERROR(read_recipe(config("")), "net.toml");
}

}  // namespace
}  // namespace spikenm::train
