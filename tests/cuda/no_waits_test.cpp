// A training step gives the GPU its work and waits for nothing: torch reports whatever does.
#include "spikenm/train/recipe.h"
#include "spikenm/train/search_hooks.h"
#include "support/gpu.h"
#include "support/stopped_run.h"
#include "support/tensors.h"

#include <c10/cuda/CUDAFunctions.h>

namespace spikenm::train {
namespace {

constexpr int64_t kSteps = 40, kBatch = 8;

// While it lives, a wait of the host for the GPU is an error.
class NoWaits {
 public:
  NoWaits() { c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_ERROR); }
  ~NoWaits() {
    c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
  }
  NoWaits(const NoWaits&) = delete;
  NoWaits& operator=(const NoWaits&) = delete;
};

// From the first step on; recorded steps are recorded in the fourth. The search is so long that
// every method has done all that it does between two epochs.
void take_steps(const std::vector<std::string>& overrides, bool record) {
  Config config;
  for (const char* assignment : {"device=cuda", "model.name=small_conv", "model.width=16",
                                 "model.T=4", "data.train_size=100"})
    config.override_with(assignment);
  for (const std::string& assignment : overrides) config.override_with(assignment);
  Recipe recipe = read_recipe(config);
  ModelRecipe& model = recipe.model;
  Stepper stepper(*model.network, model.T, recipe.loss, recipe.optimizer, /*clip_norm=*/1);
  stepper.record_steps(record);
  const Schedule schedule{.kind = Schedule::Kind::kConstant};
  SearchHooks search(*model.method, schedule, stepper.optimizer());
  const StepHooks hooks = search.hooks();
  const graph::FrameShape& f = model.network->frame();
  const BatchTensors batch{
      .frames = test::normal_tensor({4, kBatch, f.channels, f.height, f.width}, at::kFloat, 7)
                    .to(at::kCUDA),
      .labels = at::arange(kBatch, at::kLong).to(at::kCUDA)};
  ops::synchronize();

  Position at{.phase_steps = kSteps + 1, .steps = kSteps + 1};
  for (; at.phase_step < kSteps; ++at.phase_step, ++at.step) {
    SCOPED_TRACE(at.step);
    const NoWaits guard;
    ASSERT_NO_THROW(stepper.step(batch, at, 1e-3, hooks));
  }
}

void take_steps_in_every_way(const std::vector<std::string>& overrides) {
  for (const char* precision : {"bf16", "fp32"})
    for (const bool record : {true, false}) {
      SCOPED_TRACE(std::string(precision) + (record ? ", recorded" : ", plain"));
      std::vector<std::string> all = overrides;
      all.push_back(std::string("precision=") + precision);
      take_steps(all, record);
    }
}

TEST(NoWaits, ReportsAWait) {
  const at::Tensor t = at::ones({1}, at::kCUDA);
  const NoWaits guard;
  EXPECT_ANY_THROW(static_cast<void>(t.item<float>()));
}

class StepOfEveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(StepOfEveryMethod, WaitsForNothing) {
  if (GetParam() == "pattern-class") GTEST_SKIP() << "draws its patterns on the CPU";
  take_steps_in_every_way({"method.name=" + GetParam()});
}

INSTANTIATE_TEST_SUITE_P(Registry, StepOfEveryMethod,
                         testing::ValuesIn(sparsity::methods().names()),
                         [](const auto& method) { return test::test_name(method.param); });

TEST(NoWaits, NorDoStepsThatRewireOften) {
  take_steps_in_every_way({"method.name=esl", "method.every=3"});
  take_steps_in_every_way({"method.name=rewire", "method.every=3"});
}

TEST(NoWaits, NorDoStepsWithNeuronMasksOrAnotherOptimiser) {
  take_steps_in_every_way({"method.name=spikenm", "method.granularity=weight+neuron"});
  take_steps_in_every_way({"method.name=dense", "train.optimizer=sgd"});
}

}  // namespace
}  // namespace spikenm::train
