#include "spikenm/train/recipe.h"

#include "spikenm/core/parallel.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

Config config_of(const std::vector<std::string>& overrides) {
  Config config;
  for (const char* small : {"model.width=4", "data.train_size=100", "data.test_size=20"})
    config.override_with(small);
  for (const std::string& assignment : overrides) config.override_with(assignment);
  return config;
}

Recipe read(const std::vector<std::string>& overrides) {
  return read_recipe(config_of(overrides));
}

TEST(Recipe, AnEmptyConfigIsAWholeOne) {
  const Recipe r = read_recipe(Config());
  EXPECT_EQ(r.model.data_name, "moving-shapes");
  EXPECT_EQ(r.model.model_name, "small_conv");
  EXPECT_EQ(r.model.method_name, "spikenm");
  EXPECT_EQ(r.model.dataset->info().frames, r.model.T);
  EXPECT_EQ(r.train.epochs, 10);
  EXPECT_EQ(r.train.search_epochs, 3);
  EXPECT_EQ(r.views->validation.size(), 400);  // a tenth of 4,000
}

TEST(Recipe, TheSearchTakesAThirdOfTheEpochsUnlessTold) {
  EXPECT_EQ(read({"train.epochs=100"}).train.search_epochs, 30);
  EXPECT_EQ(read({"train.epochs=1"}).train.search_epochs, 0);
  EXPECT_EQ(read({"train.epochs=5", "train.search_epochs=5"}).train.search_epochs, 5);
}

TEST(Recipe, TheResolvedConfigReadsBackToItself) {
  const Config config = config_of({"method.layer_pattern.\"conv*\"=2:8", "method.noise=[1, 0.5]",
                                   "train.optimizer=sgd", "train.schedule=step", "seed=5"});
  (void)read_recipe(config);
  const Config again = Config::from_text(config.resolved_toml(), "resolved");
  const Recipe r = read_recipe(again);
  EXPECT_EQ(again.resolved_toml(), config.resolved_toml());
  EXPECT_EQ(r.model.seed, 5u);
  EXPECT_EQ(r.model.method->pattern_text(), "2:8 2:4");
}

TEST(Recipe, ThreadsAreAppliedAsTheyAreRead) {
  const int before = threads();
  (void)read({"threads=1"});
  EXPECT_EQ(threads(), 1);
  (void)read({"threads=2"});
  EXPECT_EQ(threads(), 2);
  set_threads(before);
}

TEST(Recipe, ANetworkIsReadForAFrameWithoutItsData) {
  const Config config = Config::from_text(
      "[data]\nname = 'cifar10'\nroot = 'nowhere'\n[model]\nname = 'mlp'\n[train]\nepochs = 3",
      "test");
  const ModelRecipe r = read_model(config, {3, 5, 4}, 7);
  EXPECT_EQ(r.network->frame().width, 4);
  EXPECT_EQ(r.network->synapses().front().weight.size(1), 3 * 5 * 4);
  EXPECT_EQ(r.network->synapses().back().weight.size(0), 7);
  EXPECT_EQ(r.method->layers().size(), 2u);
  EXPECT_EQ(r.dataset, nullptr);
  EXPECT_ERROR(read_model(Config::from_text("[model]\nwidht = 3", "test"), {3, 8, 8}, 7),
               "model.widht", "model.width");
}

TEST(Recipe, AnUnknownKeyIsRefusedWithTheNearest) {
  EXPECT_ERROR(read({"train.epoch=3"}), "train.epoch:", "train.epochs");
  EXPECT_ERROR(read({"methode.name=dense"}), "methode.name", "method.name");
  EXPECT_ERROR(read({"sead=3"}), "sead", "seed");
}

TEST(Recipe, AKeyThatThisRunDoesNotReadIsRefused) {
  EXPECT_ERROR(read({"method.name=dense", "method.pattern=2:4"}), "method.pattern");
  EXPECT_ERROR(read({"train.momentum=0.9"}), "train.momentum");  // Adam has none
  EXPECT_ERROR(read({"method.name=random", "method.lambda_eid=5"}), "method.lambda_eid");
}

TEST(Recipe, AWrongTypeIsRefused) {
  EXPECT_ERROR(read({"train.epochs=many"}), "train.epochs", "many", "whole number");
  EXPECT_ERROR(read({"train.epochs=2.5"}), "train.epochs", "2.5", "whole number");
  EXPECT_ERROR(read({"train.lr=fast"}), "train.lr", "fast");
  EXPECT_ERROR(read({"train.loss=3"}), "train.loss", "text");
  EXPECT_ERROR(read({"data.shuffle_time=1"}), "data.shuffle_time", "true or false");
}

TEST(Recipe, AnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_ERROR(read({"method.name=spikemn"}), "spikemn", "magnitude", "nearest: spikenm");
  EXPECT_ERROR(read({"model.name=resnet"}), "model 'resnet'", "small_conv");
  EXPECT_ERROR(read({"data.name=cifar11"}), "dataset 'cifar11'", "nearest: cifar10");
  EXPECT_ERROR(read({"train.loss=hinge"}), "loss 'hinge'", "tet");
  EXPECT_ERROR(read({"train.phases=[\"warm\", \"prune\"]"}), "phase 'warm'", "search");
}

TEST(Recipe, ValuesOutOfRangeAreRefused) {
  EXPECT_ERROR(read({"method.pattern=5:4"}), "method.pattern", "5:4", "block of 4");
  EXPECT_ERROR(read({"model.T=0"}), "model.T", "0", "1");
  EXPECT_ERROR(read({"train.epochs=0"}), "train.epochs", "0");
  EXPECT_ERROR(read({"train.batch_size=0"}), "train.batch_size", "0");
  EXPECT_ERROR(read({"seed=-1"}), "seed", "-1");
  EXPECT_ERROR(read({"train.batch_size=91"}), "train.batch_size", "91", "90");
  EXPECT_ERROR(read({"data.val_fraction=1.5"}), "data.val_fraction", "1.5");
  EXPECT_ERROR(read({"data.train_size=0"}), "data.train_size", "0");
}

TEST(Recipe, ANetworkOnTheCpuHasItsDataAugmentedThere) {
  for (const char* where : {"data.augment_on=auto", "data.augment_on=cpu"}) {
    const Recipe r = read({where});
    EXPECT_FALSE(r.model.pipelines.train.raw || r.model.pipelines.test.raw);
    EXPECT_FALSE(r.train_loader().memory);
  }
  EXPECT_ERROR(read({"data.augment_on=gpu"}), "data.augment_on: found 'gpu'", "auto or cpu",
               "the network is on the cpu");
  EXPECT_ERROR(read({"data.augment_on=tpu"}), "data.augment_on", "tpu");
}

TEST(Recipe, TheSearchMayNotTakeMoreThanAllEpochs) {
  EXPECT_ERROR(read({"train.epochs=5", "train.search_epochs=6"}), "train.search_epochs", "6",
               "0 to 5");
}

TEST(Recipe, AMethodWithMasksNeedsAPrunePhase) {
  EXPECT_ERROR(read({"train.phases=[\"search\", \"finetune\"]"}), "train.phases", "prune");
  EXPECT_EQ(read({"train.phases=[\"search\"]", "method.name=dense"}).train.phases,
            std::vector<std::string>{"search"});
  EXPECT_ERROR(
      read({"train.phases=[\"search\"]", "method.name=dense", "method.granularity=weight+neuron"}),
      "train.phases", "prune");
}

TEST(Recipe, PhasesInAnOrderThatCannotWorkAreRefused) {
  EXPECT_ERROR(read({"train.phases=[\"prune\", \"search\", \"finetune\"]"}),
               "train.phases: found search after prune, wanted search, prune and finetune");
}

}  // namespace
}  // namespace spikenm::train
