// With `deterministic` a GPU gives the same bits again: in a second run, in a run that was stopped
// and went on, and with recorded steps as with plain ones.
#include "support/stopped_run.h"

#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

using test::Overrides, test::state_of, test::stop_after, test::TinyRun;

Overrides on_gpu(const Overrides& more) {
  Overrides all{"device=cuda",        "deterministic=true", "model.name=small_conv",
                "model.width=16",     "train.epochs=3",     "train.search_epochs=2",
                "data.train_size=400"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string whole(const Overrides& overrides) {
  TinyRun run(overrides);
  run.trainer.train();
  return hash_state(state_of(run.trainer));
}

std::string in_two(const Overrides& overrides, int64_t steps) {
  const test::TempDir checkpoints;
  stop_after(overrides, steps, checkpoints.path());
  TinyRun second(overrides);
  EXPECT_TRUE(load_newest_checkpoint(checkpoints.path(), state_of(second.trainer)).has_value());
  second.trainer.train();
  return hash_state(state_of(second.trainer));
}

class DeterministicGpu : public testing::TestWithParam<std::string> {};

TEST_P(DeterministicGpu, GivesTheSameBitsAgainAndAfterAStop) {
  const Overrides overrides = on_gpu({"method.name=" + GetParam()});
  const std::string once = whole(overrides);
  EXPECT_EQ(whole(overrides), once);
  for (const int64_t steps : {7, 25, 40}) EXPECT_EQ(in_two(overrides, steps), once) << steps;
}

INSTANTIATE_TEST_SUITE_P(Registry, DeterministicGpu, testing::ValuesIn(sparsity::methods().names()),
                         [](const auto& method) { return test::test_name(method.param); });

TEST(DeterministicRun, AHeldMaskGoesOnWithItsNoise) {
  const Overrides overrides =
      on_gpu({"method.name=spikenm", "method.redraw_every=6", "method.logit_lr=0.5"});
  const std::string once = whole(overrides);
  for (const int64_t steps : {3, 8, 22}) EXPECT_EQ(in_two(overrides, steps), once) << steps;
}

TEST(DeterministicRun, RecordedStepsGiveTheBitsOfPlainOnes) {
  const auto expect_same = [](const Overrides& overrides) {
    Overrides plain = overrides;
    plain.emplace_back("cuda_graphs=false");
    EXPECT_EQ(whole(on_gpu(overrides)), whole(on_gpu(plain))) << overrides.front();
  };
  for (const std::string& method : sparsity::methods().names())
    expect_same({"method.name=" + method});
  expect_same({"method.name=upr", "method.granularity=weight+neuron"});
  for (const char* neuron : {"neuron.name=plif", "neuron.name=cuba-lif"})
    EXPECT_EQ(whole(on_gpu({neuron})), whole(on_gpu({neuron, "cuda_graphs=false"}))) << neuron;
}

}  // namespace
}  // namespace spikenm::train
