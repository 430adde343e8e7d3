#include "spikenm/train/warnings.h"

#include "support/tiny_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::train {
namespace {

using test::tiny_recipe;

// The only warning that a recipe gets; empty: there is none.
std::string only_doubt(const std::vector<std::string>& overrides) {
  const Warnings found = doubts_about_recipe(tiny_recipe(overrides));
  EXPECT_LE(found.size(), 1u) << (found.size() > 1 ? found[1] : "");
  return found.empty() ? "" : found[0];
}

void expect_parts(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks: " << part;
}

TEST(RecipeDoubts, ASoundRecipeHasNone) {
  EXPECT_EQ(only_doubt({}), "");
  for (const std::string& method : sparsity::methods().names())
    EXPECT_EQ(only_doubt({"method.name=" + method}), "") << method;
}

// 180 train samples in batches of 20: the search has 9 steps per epoch.
TEST(RecipeDoubts, ASearchShorterThanItsIntervalIsNamedWithItsSteps) {
  expect_parts(only_doubt({"method.name=rewire", "method.every=9"}),
               {"method.every", "found 9", "9 steps", "never rewired"});
  EXPECT_EQ(only_doubt({"method.name=rewire", "method.every=8"}), "");
  expect_parts(only_doubt({"method.name=rewire", "method.every=100", "train.epochs=3",
                           "train.search_epochs=2"}),
               {"18 steps"});
  expect_parts(only_doubt({"method.name=gradual", "method.mask_every=20"}),
               {"method.mask_every", "20", "9 steps", "step 0"});
  EXPECT_EQ(only_doubt({"method.name=gradual", "method.mask_every=1%"}), "");
}

TEST(RecipeDoubts, NoSearchIsNamedForMethodsThatSearch) {
  expect_parts(only_doubt({"method.name=spikenm", "train.search_epochs=0"}), {"no search"});
  expect_parts(only_doubt({"method.name=magnitude", "train.phases=[\"prune\", \"finetune\"]",
                           "train.search_epochs=0"}),
               {"no search"});
  EXPECT_EQ(only_doubt({"train.search_epochs=0"}), "");  // random
  EXPECT_EQ(only_doubt({"method.name=dense", "train.search_epochs=0"}), "");
}

TEST(RecipeDoubts, EpochsThatNoPhaseTrainsAreNamed) {
  expect_parts(only_doubt({"train.phases=[\"prune\", \"finetune\"]", "train.epochs=5",
                           "train.search_epochs=2"}),
               {"train.phases", "3 of 5 epochs", "train.search_epochs"});
  EXPECT_EQ(only_doubt({"train.phases=[\"prune\", \"finetune\"]", "train.search_epochs=0"}), "");
}

TEST(RecipeDoubts, APatternThatKeepsEveryWeightIsNamed) {
  expect_parts(only_doubt({"method.pattern=4:4"}), {"pattern 4:4 asks no weight to be dropped in"});
  EXPECT_EQ(only_doubt({"method.pattern=3:4"}), "");
}

// conv1 reads 2 channels, conv2 4, conv3 8.
TEST(RecipeDoubts, LayersThatHoldNoWholeBlockAreNamed) {
  const auto doubt = [](const char* pattern) {
    Config config;
    for (const char* assignment :
         {"model.name=small_conv", "model.width=4", "model.T=2", "data.train_size=200",
          "data.test_size=50", "train.batch_size=20", "method.name=random"})
      config.override_with(assignment);
    config.override_with(std::string("method.pattern=") + pattern);
    const Warnings found = doubts_about_recipe(read_recipe(config));
    return found.empty() ? "" : found.at(0);
  };
  expect_parts(doubt("2:8"), {"pattern 2:8", "conv1 (4x2x3x3), conv2 (8x4x3x3)", "are kept"});
  EXPECT_EQ(doubt("2:8").find("conv3"), std::string::npos);
  EXPECT_EQ(doubt("1:2"), "");
}

TEST(RecipeDoubts, AClassWithoutSamplesIsNamedWithItsSplit) {
  // Eight samples: a class has one at most, which goes to train.
  expect_parts(only_doubt({"data.train_size=8", "train.batch_size=4", "data.val_fraction=0"}),
               {"moving-shapes", "train split", "no sample of class"});
  // Twelve: two classes can spare one for validation.
  expect_parts(only_doubt({"data.train_size=12", "train.batch_size=4"}),
               {"validation split", "and 3 more"});
}

TEST(StepDoubts, MoreThanHalfOfTheStepsSkippedIsNamed) {
  EXPECT_TRUE(doubts_about_steps(100, 0).empty());
  EXPECT_TRUE(doubts_about_steps(100, 50).empty());
  EXPECT_TRUE(doubts_about_steps(0, 0).empty());
  const Warnings found = doubts_about_steps(100, 51);
  ASSERT_EQ(found.size(), 1u);
  expect_parts(found[0], {"precision", "51 of 100 steps were skipped", "fp16"});
}

Json measured(double loss, const Json& rates, std::vector<double> by_class) {
  by_class.resize(10, 50.0);
  Json found = {{"test_loss", loss}, {"firing_rate", rates}, {"test_accuracy_per_class", by_class}};
  found["firing_rate"]["mean"] = 0;
  return found;
}

const Json kFiring = {{"lif1", 0.2}, {"lif2", 0.001}, {"lif3", 0.999}};

TEST(ResultDoubts, ASoundResultHasNone) {
  EXPECT_TRUE(doubts_about_result(tiny_recipe(), measured(2.302, kFiring, {})).empty());
}

TEST(ResultDoubts, ALossAboveThatOfAConstantAnswerIsNamed) {
  const auto doubts = [](const char* loss, double value) {
    return doubts_about_result(tiny_recipe({std::string("train.loss=") + loss}),
                               measured(value, kFiring, {}));
  };
  for (const char* loss : {"ce", "tet"}) {
    ASSERT_EQ(doubts(loss, 2.5).size(), 1u);
    expect_parts(doubts(loss, 2.5)[0], {"test loss 2.5", "2.303", "one answer"});
    EXPECT_TRUE(doubts(loss, 2.3).empty());
    EXPECT_TRUE(doubts(loss, 2.3025853633880615).empty());  // ln 10 in float
  }
  EXPECT_EQ(doubts("mse", 0.091).size(), 1u);
  EXPECT_TRUE(doubts("mse", 0.0899).empty());
}

TEST(ResultDoubts, LayersThatNeverOrAlwaysFireAreNamed) {
  const Json rates = {{"lif1", 0.0}, {"lif2", 0.5}, {"lif3", 1.0}, {"lif4", 0.0}};
  const Warnings found = doubts_about_result(tiny_recipe(), measured(1, rates, {}));
  ASSERT_EQ(found.size(), 2u);
  expect_parts(found[0], {"no neuron fires", "lif1, lif4"});
  expect_parts(found[1], {"every neuron fires", "lif3"});
}

TEST(ResultDoubts, AMissedTargetIsNamed) {
  const auto doubts = [](const std::vector<std::string>& overrides, double weights, double conn) {
    Json found = measured(1, kFiring, {});
    found.update({{"weight_pct", weights}, {"conn_pct", conn}});
    return doubts_about_result(tiny_recipe(overrides), found);
  };
  for (const char* target :
       {"method.name=stds method.target_weight=0.5", "method.name=upr method.target_weight=0.5",
        "method.name=esl method.target_weight=0.5", "method.name=grad-r method.sparsity=0.5"}) {
    const std::string text = target;
    const size_t space = text.find(' ');
    const std::vector<std::string> overrides{text.substr(0, space), text.substr(space + 1)};
    for (const double met : {49.1, 50.0, 50.9})
      EXPECT_TRUE(doubts(overrides, met, 10).empty()) << target;
    for (const double missed : {48.9, 51.1}) {
      ASSERT_EQ(doubts(overrides, missed, 10).size(), 1u) << target;
      expect_parts(doubts(overrides, missed, 10)[0],
                   {fmt::format("{} % of the weights", missed).c_str(), "target is 50 %"});
    }
  }
  const std::vector<std::string> channels{"model.name=small_conv", "model.width=4",
                                          "method.name=nsl", "method.target_weight=0.5"};
  EXPECT_EQ(doubts(channels, 60, 10).size(), 1u);
  const std::vector<std::string> both{
      "model.name=small_conv",    "model.width=4",
      "method.name=upr",          "method.granularity=weight+neuron",
      "method.target_weight=0.5", "method.target_conn=0.2"};
  EXPECT_TRUE(doubts(both, 50, 20.3).empty());
  const Warnings found = doubts(both, 40, 30);
  ASSERT_EQ(found.size(), 2u);
  expect_parts(found[1], {"30 % of the connections", "target is 20 %"});
  EXPECT_TRUE(doubts({"method.name=magnitude"}, 60, 10).empty());  // asks for nothing
}

TEST(ResultDoubts, AClassWithoutTestSamplesIsNamed) {
  const Warnings found = doubts_about_result(tiny_recipe(), measured(1, kFiring, {50, NAN, 0}));
  ASSERT_EQ(found.size(), 1u);
  expect_parts(found[0], {"test split", "no sample of class"});
}

}  // namespace
}  // namespace spikenm::train
