#include "spikenm/train/start_from.h"

#include "spikenm/train/model_file.h"
#include "support/expect_error.h"
#include "support/stopped_run.h"
#include "support/tensors.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

using test::TinyRun;
namespace fs = std::filesystem;

void expect_same_weights(const nn::Network& a, const nn::Network& b) {
  const auto left = a.parameters(), right = b.parameters();
  ASSERT_EQ(left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i)
    EXPECT_TRUE(at::equal(left[i].tensor, right[i].tensor)) << left[i].name;
}

std::string from(const fs::path& path) {
  return "train.from=\"" + path.string() + "\"";
}

// A trained run with its model on disk.
struct Source : TinyRun {
  explicit Source(const std::vector<std::string>& overrides = {}) : TinyRun(overrides) {
    trainer.train();
    save_model(folder.file(RunDir::kModel), *recipe.model.network, trainer.masks(), "");
  }
};

TEST(StartFrom, TheWeightsOfAModelOrOfARunAreTakenOver) {
  Source source;
  for (const fs::path& path : {source.folder.file(RunDir::kModel), source.folder.path()}) {
    TinyRun next({from(path), "seed=5", "method.pattern=1:4"});
    start_from(next.recipe);
    expect_same_weights(*next.recipe.model.network, *source.recipe.model.network);
  }
}

TEST(StartFrom, WithoutItNothingChanges) {
  TinyRun a, b;
  start_from(a.recipe);
  expect_same_weights(*a.recipe.model.network, *b.recipe.model.network);
}

TEST(StartFrom, TensorsThatDoNotFitAreListed) {
  Source source({"model.hidden=[32, 24]"});
  TinyRun next({from(source.folder.path()), "model.hidden=[16]"});
  EXPECT_ERROR(start_from(next.recipe), "train.from", "fc1.weight", "wanted F32 [16",
               "the network has no fc3.weight");
  TinyRun missing({from(source.dir / "none.safetensors")});
  EXPECT_ERROR(start_from(missing.recipe), "train.from", "none.safetensors", "wanted a model");
  TinyRun empty({from(source.dir.path())});
  EXPECT_ERROR(start_from(empty.recipe), "train.from", "neither model.safetensors nor checkpoints");
}

TEST(StartFrom, AValueThatIsNotFiniteIsRefused) {
  Source source;
  source.recipe.model.network->synapses()[0].weight.detach().view({-1})[0] = NAN;
  save_model(source.folder.file(RunDir::kModel), *source.recipe.model.network,
             source.trainer.masks(), "");
  TinyRun next({from(source.folder.path())});
  EXPECT_ERROR(start_from(next.recipe), "fc1.weight", "not finite");
}

// One search, frozen in another run: its logits and the mask that it held come along.
TEST(StartFrom, ACheckpointBringsItsSearchToARunThatOnlyPrunes) {
  const std::vector<std::string> searching{"method.name=spikenm", "method.redraw_every=4"};
  TinyRun search(searching);
  struct Stopped {};
  TinyRun* current = &search;
  TinyRun stopped(searching, {.between_steps = [&] {
                    if (current->trainer.steps() == 7) throw Stopped();
                  }});
  current = &stopped;
  EXPECT_THROW(stopped.trainer.train(), Stopped);
  write_checkpoint(stopped.dir / "checkpoints", copy_state(test::state_of(stopped.trainer)),
                   {.step = 7}, 2);

  auto pruning = searching;
  for (const std::string& more :
       {from(stopped.dir / "checkpoints" / checkpoint_name(7)), std::string("seed=5"),
        std::string("train.phases=[\"prune\", \"finetune\"]"),
        std::string("train.search_epochs=0")})
    pruning.push_back(more);
  TinyRun next(pruning);
  start_from(next.recipe);
  expect_same_weights(*next.recipe.model.network, *stopped.recipe.model.network);
  const sparsity::Masks wanted = sparsity::harden_all(*stopped.recipe.model.method),
                        found = sparsity::harden_all(*next.recipe.model.method),
                        own = sparsity::harden_all(*TinyRun(pruning).recipe.model.method);
  for (size_t i = 0; i < wanted.weights.size(); ++i) {
    EXPECT_EQ(found.weights[i].mask.keep, wanted.weights[i].mask.keep);
    EXPECT_NE(found.weights[i].mask.keep, own.weights[i].mask.keep);
  }
}

}  // namespace
}  // namespace spikenm::train
