#include "spikenm/train/cursor.h"

#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

const TrainOptions kOptions{.epochs = 5, .search_epochs = 2};  // search, prune, finetune
constexpr int64_t kBatches = 10;

std::string place_after(int64_t steps) {
  return place_of(cursor_after(steps, kOptions, kBatches), kOptions, kBatches);
}

TEST(Cursor, KnowsThePhaseEpochAndBatchOfEveryStep) {
  EXPECT_EQ(place_after(0), "in search epoch 1 of 5, batch 1 of 10");
  EXPECT_EQ(place_after(19), "in search epoch 2 of 5, batch 10 of 10");
  EXPECT_EQ(place_after(20), "in finetune epoch 3 of 5, batch 1 of 10");
  EXPECT_EQ(place_after(49), "in finetune epoch 5 of 5, batch 10 of 10");
  EXPECT_EQ(place_after(50), "after training");
}

TEST(Cursor, AtTheEndOfAPhaseTheNextStepIsInTheNextOne) {
  const Cursor end_of_search{.phase = 0, .epoch = 2, .batch = 0, .epochs_done = 2};
  EXPECT_EQ(place_of(end_of_search, kOptions, kBatches), place_after(20));
  EXPECT_TRUE(has_steps_left(end_of_search, kOptions));
  EXPECT_FALSE(has_steps_left({.phase = 2, .epoch = 3, .epochs_done = 5}, kOptions));
  EXPECT_FALSE(has_steps_left({.phase = 3}, kOptions));
}

}  // namespace
}  // namespace spikenm::train
