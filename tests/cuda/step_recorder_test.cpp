// A step recorded as a CUDA graph against the same step done as it is written.
#include "spikenm/train/recipe.h"
#include "spikenm/train/search_hooks.h"
#include "support/gpu.h"
#include "support/tensors.h"

namespace spikenm::train {
namespace {

struct Losses {
  std::vector<double> values;
  at::Tensor first_weight;
};

Losses train(const std::string& method, bool record) {
  Config config;
  for (const std::string& assignment :
       {std::string("model.name=small_conv"), std::string("model.width=8"),
        std::string("model.T=4"), std::string("data.train_size=100"), std::string("device=cuda"),
        std::string("precision=fp32"), "method.name=" + method})
    config.override_with(assignment);
  Recipe recipe = read_recipe(config);
  ModelRecipe& model = recipe.model;
  Stepper stepper(*model.network, model.T, recipe.loss, recipe.optimizer, 1.0);
  stepper.record_steps(record);
  const Schedule schedule{.kind = Schedule::Kind::kConstant};
  SearchHooks search(*model.method, schedule, stepper.optimizer());
  const StepHooks hooks = search.hooks();
  const nn::FrameShape& f = model.network->frame();
  Losses losses;
  Position at{.phase_steps = 40, .steps = 40};
  for (; at.phase_step < 12; ++at.phase_step, ++at.step) {
    const auto seed = static_cast<uint32_t>(at.step);
    const BatchTensors batch{
        .frames = test::normal_tensor({4, 6, f.channels, f.height, f.width}, at::kFloat, seed)
                      .to(at::kCUDA),
        .labels = at::arange(6, at::kLong).to(at::kCUDA)};
    losses.values.push_back(stepper.step(batch, at, 1e-3, hooks).loss.item<double>());
  }
  losses.first_weight = model.network->synapses().front().weight.detach().cpu();
  return losses;
}

// Every step sees other frames, other masks and another temperature.
TEST(CudaStepRecorder, RecordedStepsGiveWhatPlainOnesGive) {
  ASSERT_TRUE(test::kHasGpu);
  for (const char* method : {"dense", "spikenm", "random", "gradual"}) {
    SCOPED_TRACE(method);
    const Losses plain = train(method, false), recorded = train(method, true);
    for (size_t i = 0; i < plain.values.size(); ++i)
      EXPECT_NEAR(recorded.values[i], plain.values[i], 2e-3 * plain.values[i]) << "step " << i;
    EXPECT_TRUE(test::tensors_close(recorded.first_weight, plain.first_weight, {2e-3, 2e-3}));
  }
}

}  // namespace
}  // namespace spikenm::train
