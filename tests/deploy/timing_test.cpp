#include "spikenm/deploy/timing.h"

#include "spikenm/runtime/model.h"
#include "spikenm/train/experiment.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace spikenm::deploy {
namespace {

TEST(Timing, WritesTheModelAndTimesItThreeWays) {
  const test::TempDir dir;
  Config config;
  for (const char* assignment :
       {"model.T=2", "data.train_size=40", "data.test_size=20", "train.epochs=1",
        "train.search_epochs=0", "train.batch_size=20", "model.width=8", "method.name=random",
        "method.pattern=2:8", "data.cache=off", "checkpoints.every_minutes=0"})
    config.override_with(assignment);
  train::run_experiment(config, {.out = dir / "run", .display = {.bar = false, .lines = false}});

  train::LoadedModel trained = train::load_model(dir / "run");
  const Timing found = time_export(trained, dir / "run", dir / "m.snm", 0.01);
  for (const Cost& cost : {found.packed, found.dense, found.trainer}) EXPECT_GT(cost.ms, 0);
  EXPECT_LT(found.packed.bytes, found.dense.bytes);
  EXPECT_EQ(found.packed.bytes, static_cast<int64_t>(std::filesystem::file_size(dir / "m.snm")));
  EXPECT_EQ(runtime::Model::load(dir / "m.snm")->steps(), 2);
}

}  // namespace
}  // namespace spikenm::deploy
