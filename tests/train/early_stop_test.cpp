#include "spikenm/train/early_stop.h"

#include "support/expect_error.h"
#include "support/tiny_run.h"

#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

using test::TinyRun;

// The epoch that ends a training with these accuracies; 0: none does.
size_t end_of(const EarlyStopOptions& options, const std::vector<double>& accuracies) {
  EarlyStop stop(options);
  for (size_t i = 0; i < accuracies.size(); ++i)
    if (stop.ends_with(accuracies[i])) return i + 1;
  return 0;
}

TEST(EarlyStop, EndsAfterSomeEpochsThatAreNotBetter) {
  EXPECT_EQ(end_of({.patience = 2}, {10, 20, 20, 19}), 4u);
  EXPECT_EQ(end_of({.patience = 2}, {10, 20, 20, 21, 21, 21}), 6u);
  EXPECT_EQ(end_of({.patience = 1}, {0, 0}), 2u);
  EXPECT_EQ(end_of({.patience = 3}, {10, 9, 8}), 0u);
  EXPECT_EQ(end_of({.patience = 0}, {10, 9, 8, 7, 6}), 0u);
}

TEST(EarlyStop, AStepBelowMinDeltaIsNotBetter) {
  EXPECT_EQ(end_of({.patience = 2, .min_delta = 1}, {10, 10.6, 11}), 3u);  // 11 is not above 11
  EXPECT_EQ(end_of({.patience = 2, .min_delta = 1}, {10, 10.6, 11.1, 12}), 0u);
}

// A rate of almost nothing: no epoch is better than the first.
const std::vector<std::string> kStill{"train.lr=1e-12", "train.epochs=9", "train.search_epochs=2",
                                      "train.stop_early={patience=2}"};

TEST(EarlyStop, FinetuneEndsAndTheSearchDoesNot) {
  TinyRun run(kStill);
  run.trainer.train();
  EXPECT_EQ(run.metrics().size(), 5u);  // two of search, the first of finetune, two more
  EXPECT_EQ(run.trainer.stopped_early(), 5);
  EXPECT_FALSE(run.trainer.has_steps_left());
}

TEST(EarlyStop, ARunThatEndsByItselfWasNotStopped) {
  auto last = kStill;
  last[1] = "train.epochs=5";
  TinyRun run(last);
  run.trainer.train();
  EXPECT_EQ(run.metrics().size(), 5u);
  EXPECT_EQ(run.trainer.stopped_early(), 0);
}

TEST(EarlyStop, NeedsAValidation) {
  EXPECT_ERROR(TinyRun({"train.stop_early.patience=1", "data.val_fraction=0"}),
               "train.stop_early.patience", "data.val_fraction");
  EXPECT_ERROR(TinyRun({"train.stop_early.patience=-1"}), "train.stop_early.patience", "-1");
  EXPECT_ERROR(TinyRun({"train.stop_early.patience=1", "train.phases=[\"search\", \"prune\"]",
                        "train.search_epochs=2"}),
               "train.stop_early.patience", "finetune");
}

}  // namespace
}  // namespace spikenm::train
