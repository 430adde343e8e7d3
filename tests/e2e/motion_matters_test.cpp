// Motion is part of the class: the same network learns moving-shapes well, and its time-shuffled
// copy clearly worse, since classes come in pairs that differ in the direction of time alone.
#include "spikenm/train/experiment.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

double accuracy(bool shuffle_time) {
  const test::TempDir folder;
  Config config = Config::from_text(R"(
[data]
train_size = 1500
test_size = 400
[model]
name = "small_conv"
T = 8
width = 8
[method]
name = "dense"
[train]
epochs = 6
search_epochs = 0
batch_size = 25
lr = 4e-3
loss = "tet"
)",
                                    "test");
  if (shuffle_time) config.override_with("data.shuffle_time=true");
  return run_experiment(config, {.out = folder / "run"})["test_accuracy"].get<double>();
}

TEST(MovingShapes, ATimeShuffledCopyIsClearlyHarder) {
  const double ordered = accuracy(false), shuffled = accuracy(true);
  RecordProperty("ordered", std::to_string(ordered));
  RecordProperty("shuffled", std::to_string(shuffled));
  EXPECT_GT(ordered, 80.0);
  EXPECT_LT(shuffled, 65.0);
  EXPECT_GT(ordered - shuffled, 20.0);
}

}  // namespace
}  // namespace spikenm::train
