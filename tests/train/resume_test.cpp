// A run that was stopped and goes on is the run that never stopped, bit for bit.
#include "spikenm/core/parallel.h"
#include "spikenm/sparsity/method_keys.h"
#include "support/expect_error.h"
#include "support/machine_figures.h"
#include "support/stopped_run.h"

#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

using test::Overrides, test::state_of, test::stop_after, test::TinyRun;

struct Ending {
  std::string state;
  std::vector<std::string> kept;  // hashes of what the method keeps
  std::vector<Json> metrics;

  bool operator==(const Ending&) const = default;
};

Ending ending_of(TinyRun& run) {
  Ending ending{.state = hash_state(state_of(run.trainer)), .metrics = run.metrics()};
  ending.kept.push_back(hash_state([&](nn::StateVisitor& visitor) {
    for (const nn::NamedTensor& t : run.recipe.model.method->kept_tensors())
      visitor.tensor(t.name, t.tensor);
  }));
  for (Json& line : ending.metrics) test::erase_machine_figures(line);
  return ending;
}

Ending run_whole(const Overrides& overrides) {
  TinyRun run(overrides);
  run.trainer.train();
  return ending_of(run);
}

// Stops after so many steps, saves, forgets everything, loads and goes on.
Ending run_in_two(const Overrides& overrides, int64_t steps, const Overrides& later = {}) {
  const test::TempDir checkpoints;
  const std::vector<Json> lines = stop_after(overrides, steps, checkpoints.path());
  Overrides all = overrides;
  all.insert(all.end(), later.begin(), later.end());
  TinyRun second(all);
  EXPECT_EQ(load_newest_checkpoint(checkpoints.path(), state_of(second.trainer))->step, steps);
  for (const Json& line : lines) second.folder.append_line(RunDir::kMetrics, line);
  second.trainer.train();
  return ending_of(second);
}

// Nine steps per epoch. The second epoch is the last of the search, the third finetunes.
Overrides long_enough(const std::string& method) {
  return {"train.epochs=3", "train.search_epochs=2", "method.name=" + method};
}

// The overrides and this many threads, before the stop and after it.
Overrides with_threads(Overrides overrides, int64_t threads) {
  overrides.push_back(fmt::format("threads={}", threads));
  return overrides;
}

// The keys of a method that say how many steps something is held.
std::vector<std::string> keys_of_holds(const std::string& method) {
  std::vector<std::string> names;
  for (const KeyGroup& group : sparsity::method_keys())
    for (const Key* key : group.keys)
      if (group.owner == method && key->type == KeyType::kStepsOrShare) names.push_back(key->name);
  return names;
}

bool masks_neurons(const std::string& method) {
  return !test::tiny_recipe(long_enough(method)).model.method->neurons().empty();
}

class EveryMethodResumes : public testing::TestWithParam<std::string> {
 protected:
  ~EveryMethodResumes() override { set_threads(threads_before_); }

 private:
  int threads_before_ = threads();
};

// In the middle of an epoch, at the end of one, before prune, and while the mask is frozen; with one
// thread and with two.
TEST_P(EveryMethodResumes, AsIfItHadNeverStopped) {
  const Overrides overrides = long_enough(GetParam());
  const Ending whole = run_whole(with_threads(overrides, 2));
  for (const int64_t steps : {1, 5, 9, 14, 18})
    EXPECT_EQ(run_in_two(with_threads(overrides, 1 + steps % 2), steps), whole) << steps;
  // Once the mask is frozen most methods rest, and what they kept is no longer saved.
  const bool rests = test::tiny_recipe(overrides).model.method->acting_in_finetune().empty();
  for (const int64_t steps : {23, 27}) {
    Ending ending = run_in_two(with_threads(overrides, steps == 23 ? 1 : 2), steps);
    if (rests) ending.kept = whole.kept;
    EXPECT_EQ(ending, whole) << steps;
  }
}

// Weights and logits have moved since the mask was drawn. The fourth and the eighth step change it.
TEST_P(EveryMethodResumes, InTheMiddleOfAHold) {
  const std::vector<std::string> keys = keys_of_holds(GetParam());
  if (keys.empty()) GTEST_SKIP() << "holds nothing";
  Overrides overrides = long_enough(GetParam());
  for (const std::string& key : keys) overrides.push_back(fmt::format("method.{}=4", key));
  const Ending whole = run_whole(with_threads(overrides, 1));
  for (const int64_t steps : {3, 6, 7})
    EXPECT_EQ(run_in_two(with_threads(overrides, 1 + steps % 2), steps), whole) << steps;
}

TEST_P(EveryMethodResumes, WithNeuronMasksThatAreSteeredToATarget) {
  Overrides overrides = long_enough(GetParam());
  for (const char* more : {"model.name=small_conv", "model.width=4", "model.T=2",
                           "method.granularity=weight+neuron", "method.target_conn=0.45"})
    overrides.emplace_back(more);
  if (masks_neurons(GetParam())) GTEST_SKIP() << "masks neurons itself";
  const Ending whole = run_whole(overrides);
  for (const int64_t steps : {7, 18}) EXPECT_EQ(run_in_two(overrides, steps), whole) << steps;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMethodResumes,
                         testing::ValuesIn(sparsity::methods().names()),
                         [](const auto& method) { return test::test_name(method.param); });

TEST(Resume, EveryMethodThatHoldsAMaskIsKnownByItsKeys) {
  EXPECT_EQ(keys_of_holds("spikenm"), std::vector<std::string>{"redraw_every"});
  EXPECT_EQ(keys_of_holds("gradual-rewire").size(), 2u);
  for (const char* method : {"esl", "gradual", "rewire"})
    EXPECT_EQ(keys_of_holds(method).size(), 1u) << method;
}

// With logits that move fast.
TEST(Resume, AMaskThatIsHeldIsNotDrawnAgain) {
  const auto expect_same = [](const Overrides& more, const std::vector<int64_t>& stops) {
    Overrides overrides = long_enough("spikenm");
    overrides.insert(overrides.end(), more.begin(), more.end());
    const Ending whole = run_whole(overrides);
    for (const int64_t steps : stops)
      EXPECT_EQ(run_in_two(overrides, steps), whole) << more.front() << " " << steps;
  };
  for (const char* preset : {"method.preset=paper", "method.preset=default"})
    expect_same({"method.redraw_every=30%", preset, "method.logit_lr=0.5"}, {3, 7, 15});
  expect_same({"method.redraw_every=4", "method.regrow=zero"}, {3, 4, 7});
}

// What steers to a target is part of the state: a controller, a threshold, the channels of the last epoch.
TEST(Resume, TargetsGoOn) {
  for (const char* method : {"upr", "stds", "nsl", "sca"}) {
    Overrides overrides = long_enough(method);
    overrides.emplace_back("method.target_weight=0.3");
    const Ending whole = run_whole(overrides);
    for (const int64_t steps : {7, 14, 18})
      EXPECT_EQ(run_in_two(overrides, steps), whole) << method << " " << steps;
  }
}

// On both sides of where the rewiring begins.
TEST(Resume, TwoHoldsOfOneMethodMayDiffer) {
  Overrides both = long_enough("gradual-rewire");
  both.insert(both.end(), {"method.mask_every=4", "method.every=3"});
  const Ending whole = run_whole(both);
  for (const int64_t steps : {6, 9, 10, 14}) EXPECT_EQ(run_in_two(both, steps), whole) << steps;
}

TEST(Resume, EveryOptimizerGoesOnWithItsMoments) {
  for (const char* optimizer : {"sgd", "adam", "adamw"}) {
    Overrides overrides = long_enough("magnitude");
    overrides.push_back(std::string("train.optimizer=") + optimizer);
    overrides.emplace_back("train.weight_decay=0.01");
    EXPECT_EQ(run_in_two(overrides, 12), run_whole(overrides)) << optimizer;
  }
}

TEST(Resume, ThreadsAndWorkersMayDiffer) {
  const int before = threads();
  const Overrides overrides = long_enough("spikenm");
  EXPECT_EQ(run_in_two(overrides, 12, {"threads=1", "data.workers=0"}), run_whole(overrides));
  set_threads(before);
}

}  // namespace
}  // namespace spikenm::train
