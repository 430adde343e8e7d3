#include "spikenm/train/trainer.h"

#include "spikenm/core/diverged.h"
#include "spikenm/train/divergence.h"
#include "spikenm/train/evaluate.h"
#include "support/expect_error.h"
#include "support/poisoned_run.h"
#include "support/stopped_run.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace spikenm::train {
namespace {

using test::PoisonedRun, test::PoisonedWeights, test::TinyRun, test::with_bad_losses;

double validation_accuracy(TinyRun& run) {
  data::Loader loader(run.recipe.views->validation, {.batch_size = 20});
  return evaluate(*run.recipe.model.network, loader, run.recipe.model.T, run.recipe.loss).accuracy;
}

TEST(Trainer, LearnsAndWritesALineAnEpoch) {
  TinyRun run({"train.epochs=8", "train.search_epochs=2"});
  run.trainer.train();
  const auto lines = run.metrics();
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_LT(lines[7].at("loss").get<double>(), 0.8 * lines[0].at("loss").get<double>());
  EXPECT_GT(lines[7].at("train_accuracy").get<double>(), 30);  // ten classes
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].at("epoch"), static_cast<int>(i) + 1);
    EXPECT_EQ(lines[i].at("phase"), i < 2 ? "search" : "finetune");
    for (const char* key : {"lr", "val_loss", "val_accuracy", "seconds"})
      EXPECT_TRUE(lines[i].at(key).is_number()) << key;
  }
  for (const char* phase : {"search", "prune", "finetune"})
    EXPECT_TRUE(run.trainer.phase_seconds().contains(phase)) << phase;
}

TEST(Trainer, PrunedWeightsStayExactlyZeroWithMomentumAndDecay) {
  for (const char* optimizer : {"sgd", "adam", "adamw"}) {
    TinyRun run({std::string("train.optimizer=") + optimizer, "train.weight_decay=0.1",
                 "method.name=magnitude"});
    run.trainer.train();
    ASSERT_EQ(run.trainer.masks().weights.size(), 2u);
    for (const sparsity::LayerMask& m : run.trainer.masks().weights) {
      const at::Tensor dropped = m.synapse->weight.detach().masked_select(m.keep.eq(0));
      EXPECT_GT(dropped.numel(), m.keep.numel() / 3);
      EXPECT_TRUE(dropped.eq(0).all().item<bool>()) << optimizer << " " << m.synapse->name;
      EXPECT_TRUE(nm::audit(m.mask).valid());
    }
  }
}

TEST(Trainer, FinetuneMovesTheKeptWeights) {
  TinyRun searched({"train.epochs=1", "train.search_epochs=1", "train.schedule=constant"}),
      finetuned({"train.epochs=2", "train.search_epochs=1", "train.schedule=constant"});
  searched.trainer.train();
  finetuned.trainer.train();
  const auto& a = searched.trainer.masks().weights[0];
  const auto& b = finetuned.trainer.masks().weights[0];
  EXPECT_EQ(a.mask.keep, b.mask.keep);
  EXPECT_FALSE(at::equal(a.synapse->weight, b.synapse->weight));
}

TEST(Trainer, TellsOfEveryNetworkThatValidatesBetterThanAllBefore) {
  std::vector<double> told, accuracies;
  TinyRun* current = nullptr;
  TinyRun run({"train.epochs=7", "train.lr=0.02"}, {.found_best = [&](const EpochRecord& record) {
                told.push_back(record.val_accuracy);
                EXPECT_DOUBLE_EQ(validation_accuracy(*current), record.val_accuracy);
              }});
  current = &run;
  run.trainer.train();
  double best = -1;
  for (const Json& line : run.metrics()) {
    if (line.at("phase") != "finetune") continue;
    const double accuracy = line.at("val_accuracy").get<double>();
    if (accuracy > best) accuracies.push_back(accuracy);
    best = std::max(best, accuracy);
  }
  EXPECT_EQ(told, accuracies);
  EXPECT_GE(told.size(), 2u);
  EXPECT_TRUE(run.trainer.has_best());
}

TEST(Trainer, NoNetworkFromBeforePruneIsTheBest) {
  TinyRun run({"train.search_epochs=2"});
  run.trainer.train();
  EXPECT_FALSE(run.trainer.has_best());
  EXPECT_EQ(run.trainer.masks().weights.size(), 2u);
}

TEST(Trainer, ALossThatIsNotFiniteIsDivergence) {
  const std::vector<std::string> broken{"train.lr=1e30", "train.loss=mse",
                                        "train.schedule=constant"};
  EXPECT_ERROR(TinyRun(broken).trainer.train(), "loss became", "epoch", "batch", "train.lr");
  EXPECT_THROW(TinyRun(broken).trainer.train(), Diverged);
}

TEST(Trainer, ABadStepIsNamedWithItsLayerPlaceAndSamples) {
  PoisonedRun run({"train.search_epochs=0"}, 12, 99);
  try {
    run.trainer.train();
    ADD_FAILURE();
  } catch (const Diverged& e) {
    const std::string said = e.what();
    for (const char* part :
         {"the gradient of fc1.weight left the finite numbers",
          "in finetune epoch 2 of 2, batch 4 of 9 (step 13, samples ", " and 4 more)", "train.lr"})
      EXPECT_NE(said.find(part), std::string::npos) << said;
  }
  EXPECT_EQ(run.trainer.steps(), 12);                     // the thirteenth was not done
  EXPECT_ERROR(run.trainer.check_state(), "fc1.weight");  // not a state to save
}

TEST(Trainer, BadStepsAreSkippedUntilThereAreTooManyInARow) {
  PoisonedRun enough({"train.bad_steps=3"}, 4, 6), few({"train.bad_steps=2"}, 4, 6);
  enough.trainer.train();
  for (const nn::NamedTensor& p : enough.recipe.model.network->parameters())
    EXPECT_TRUE(p.tensor.isfinite().all().item<bool>()) << p.name;
  EXPECT_ERROR(few.trainer.train(), "epoch 1 of 2, batch 5 of 9 (step 5",
               "the first of 2 such steps in a row");
}

TEST(Trainer, AGateOfANeuronThatIsPulledTooFarIsNamed) {
  test::OverpulledRun run({}, 4, 99);
  EXPECT_ERROR(run.trainer.train(), "the gradient of ", ".m left the finite numbers",
               "epoch 1 of 2, batch 5 of 9 (step 5");
  EXPECT_THROW(test::OverpulledRun({}, 4, 99).trainer.train(), Diverged);
}

TEST(Trainer, StepsThatPullGatesTooFarAreSkippedUntilThereAreTooManyInARow) {
  test::OverpulledRun enough({"train.bad_steps=3"}, 4, 6), few({"train.bad_steps=2"}, 4, 6);
  enough.trainer.train();
  check_finite(trained_tensors(*enough.recipe.model.network, *enough.recipe.model.method), "");
  ASSERT_EQ(enough.before.size(), enough.after.size());
  for (size_t i = 0; i < enough.before.size(); ++i)
    EXPECT_TRUE(at::equal(enough.before[i].tensor, enough.after[i].tensor))
        << enough.before[i].name;
  EXPECT_FALSE(at::equal(enough.after[0].tensor, enough.trained()[0].tensor));  // good steps change
  EXPECT_ERROR(few.trainer.train(), "epoch 1 of 2, batch 5 of 9 (step 5",
               "the first of 2 such steps in a row");
}

TEST(Trainer, ALossThatIsNotFiniteIsLeftOutOfTheMeanUntilThereAreTooManyInARow) {
  const auto run_with = [](const std::string& limit) {
    return TinyRun(with_bad_losses(test::tiny_recipe({limit}), {4, 5, 9, 10}));
  };
  TinyRun enough = run_with("train.bad_steps=3"), few = run_with("train.bad_steps=2");
  enough.trainer.train();
  for (const Json& line : enough.metrics()) {
    EXPECT_GT(line.at("loss").get<double>(), 0);
    EXPECT_LT(line.at("loss").get<double>(), 10);
    EXPECT_GT(line.at("train_accuracy").get<double>(), 0);
  }
  EXPECT_ERROR(few.trainer.train(), "the loss became nan", "epoch 1 of 2, batch 5 of 9 (step 5",
               "samples ", "the first of 2 such steps in a row");
}

TEST(Trainer, StatisticsThatAreNotFiniteDoNotStay) {
  PoisonedWeights run({"train.bad_steps=3"}, 4, 6);
  run.trainer.train();
  for (const nn::NamedTensor& b : run.recipe.model.network->buffers())
    EXPECT_TRUE(b.tensor.isfinite().all().item<bool>()) << b.name;
  PoisonedWeights few({"train.bad_steps=2"}, 4, 6);
  EXPECT_ERROR(few.trainer.train(), "batch 5 of 9 (step 5", "the first of 2 such steps in a row");
}

// The row of bad steps is part of the state: a stop inside it changes nothing.
TEST(Trainer, ARowOfBadStepsGoesOnAfterAStop) {
  const auto recipe = [](const std::vector<int64_t>& bad) {
    return with_bad_losses(test::tiny_recipe({"train.bad_steps=3"}), bad);
  };
  const test::TempDir folder;
  struct Stopped {};
  TinyRun* current = nullptr;
  TinyRun first(recipe({4, 5}), {.between_steps = [&] {
                  if (current->trainer.steps() == 6) throw Stopped();
                }});
  current = &first;
  EXPECT_THROW(first.trainer.train(), Stopped);
  write_checkpoint(folder.path(), copy_state(test::state_of(first.trainer)), {.step = 6}, 1);
  TinyRun second(recipe({0}));  // the seventh step of all
  load_newest_checkpoint(folder.path(), test::state_of(second.trainer));
  EXPECT_ERROR(second.trainer.train(), "the loss became nan", "epoch 1 of 2, batch 5 of 9 (step 5",
               "the first of 3 such steps in a row");
}

TEST(Trainer, EpochsTellOfFiringMasksAndTheMethod) {
  TinyRun run({"method.name=spikenm", "train.epochs=4", "train.search_epochs=2"});
  run.trainer.train();
  const auto lines = run.metrics();
  for (const Json& line : lines) {
    EXPECT_GT(line.at("firing_rate").at("mean").get<double>(), 0);
    EXPECT_EQ(line.at("firing_rate").size(), run.recipe.model.network->neurons().size() + 1);
    EXPECT_GT(line.at("density").get<double>(), 0.3);
    EXPECT_LE(line.at("density").get<double>(), 0.5);
  }
  EXPECT_FALSE(lines[0].contains("flip_rate"));
  EXPECT_GT(lines[1].at("flip_rate").get<double>(), 0);
  EXPECT_EQ(lines[3].at("flip_rate"), 0);  // frozen
  for (const char* name : {"logit_entropy", "noise", "tau"}) {
    EXPECT_TRUE(lines[1].at(name).is_number()) << name;
    EXPECT_FALSE(lines[3].contains(name)) << name;
  }
}

// Trains, and expects both epochs to warn of the first layer like this.
void expect_warnings(TinyRun& run, const std::string& warning) {
  testing::internal::CaptureStderr();
  run.trainer.train();
  const std::string said = testing::internal::GetCapturedStderr();
  size_t n = 0;
  for (size_t at = 0; (at = said.find(warning, at)) != std::string::npos; ++at) ++n;
  EXPECT_EQ(n, 2u) << said;
  EXPECT_NE(said.find(run.recipe.model.network->neurons()[0].name), std::string::npos) << said;
}

TEST(Trainer, LayersThatNeverFireAreWarnedAboutAfterEachEpoch) {
  TinyRun run({"neuron.threshold=1e6"});
  expect_warnings(run, "warning: no neuron fires on validation in ");
}

TEST(Trainer, LayersThatAlwaysFireAreWarnedAboutAfterEachEpoch) {
  TinyRun* current = nullptr;
  TinyRun run(std::vector<std::string>(), {.between_steps = [&] {
                current->recipe.model.network->norms()[0].state.beta.detach().fill_(1e4);
              }});
  current = &run;
  expect_warnings(run, "warning: every neuron fires at every step of validation in ");
}

// The step after the last loss of a run has no loss of its own to show what it did.
TEST(Trainer, ALastStepThatDivergesIsSeenByItsWeightsOrByValidation) {
  const std::vector<std::string> one_step{"train.epochs=1", "train.search_epochs=0",
                                          "train.batch_size=180", "train.lr=1e30",
                                          "train.schedule=constant"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = one_step;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  EXPECT_ERROR(TinyRun(with({"train.loss=mse"})).trainer.train(), "validation loss became",
               "finetune epoch 1 of 1", "train.lr");
  const auto infinite = with({"train.optimizer=sgd", "train.weight_decay=1e30"});
  EXPECT_ERROR(TinyRun(infinite).trainer.train(), "fc1.weight", "left the finite numbers",
               "finetune epoch 1 of 1, batch 1 of 1", "train.lr");
  EXPECT_THROW(TinyRun(infinite).trainer.train(), Diverged);
}

TEST(Trainer, ClippingTamesTheStep) {
  TinyRun run({"train.lr=1", "train.optimizer=sgd", "train.momentum=0", "train.clip_norm=0.001",
               "train.schedule=constant", "train.phases=[\"search\", \"prune\"]",
               "train.search_epochs=2"});
  std::vector<at::Tensor> before;
  for (const nn::NamedTensor& p : run.recipe.model.network->parameters())
    before.push_back(p.tensor.detach().clone());
  run.trainer.train();
  double moved = 0;
  const auto parameters = run.recipe.model.network->parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    at::Tensor change = parameters[i].tensor.detach() - before[i];
    if (parameters[i].tensor.dim() == 4) {  // prune zeroed the others
      for (const sparsity::LayerMask& m : run.trainer.masks().weights)
        if (m.synapse->weight.is_same(parameters[i].tensor)) change = change * m.keep;
    }
    moved += change.square().sum().item<double>();
  }
  EXPECT_GT(moved, 0);
  EXPECT_LT(std::sqrt(moved), 18 * 0.001 * 1.01);  // 9 batches, 2 epochs
}

TEST(Trainer, WithoutValidationNoEpochIsChosen) {
  TinyRun run({"data.val_fraction=0"});
  run.trainer.train();
  EXPECT_FALSE(run.trainer.has_best());
  const auto lines = run.metrics();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_FALSE(lines[0].contains("val_accuracy"));
}

TEST(Trainer, TooLargeABatchIsRefused) {
  EXPECT_ERROR(TinyRun({"train.batch_size=181"}), "train.batch_size", "181", "180");
}

}  // namespace
}  // namespace spikenm::train
