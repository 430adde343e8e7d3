// A step recorded as a CUDA graph against the same step done as it is written.
#include "spikenm/train/recipe.h"
#include "spikenm/train/search_hooks.h"
#include "support/gpu.h"
#include "support/tensors.h"

#include <algorithm>

namespace spikenm::train {
namespace {

struct Outcome {
  std::vector<double> losses;
  at::Tensor first_weight;
  std::vector<at::Tensor> logit_gradients;  // of the first layer, step by step
};

constexpr int64_t kSteps = 12;

Outcome train(const std::vector<std::string>& overrides, bool record) {
  Config config;
  for (const char* assignment : {"model.name=small_conv", "model.width=8", "model.T=4",
                                 "data.train_size=100", "device=cuda", "precision=fp32"})
    config.override_with(assignment);
  for (const std::string& assignment : overrides) config.override_with(assignment);
  Recipe recipe = read_recipe(config);
  ModelRecipe& model = recipe.model;
  Stepper stepper(*model.network, model.T, recipe.loss, recipe.optimizer, 1.0);
  stepper.record_steps(record);
  const Schedule schedule{.kind = Schedule::Kind::kConstant};
  SearchHooks search(*model.method, schedule, stepper.optimizer());
  const StepHooks hooks = search.hooks();
  const graph::FrameShape& f = model.network->frame();
  Outcome outcome;
  Position at{.phase_steps = kSteps, .steps = kSteps};
  for (; at.phase_step < kSteps; ++at.phase_step, ++at.step) {
    const auto seed = static_cast<uint32_t>(at.step);
    const BatchTensors batch{
        .frames = test::normal_tensor({4, 6, f.channels, f.height, f.width}, at::kFloat, seed)
                      .to(at::kCUDA),
        .labels = at::arange(6, at::kLong).to(at::kCUDA)};
    outcome.losses.push_back(stepper.step(batch, at, 1e-3, hooks).loss.item<double>());
    for (const sparsity::ParamGroup& group : model.method->param_groups())
      outcome.logit_gradients.push_back(group.tensors.front().grad().cpu().clone());
  }
  outcome.first_weight = model.network->synapses().front().weight.detach().cpu();
  return outcome;
}

// The largest distance between two runs' logit gradients at any step, over that step's largest.
double distance(const Outcome& a, const Outcome& b) {
  double most = 0;
  for (size_t i = 0; i < a.logit_gradients.size(); ++i) {
    const at::Tensor &x = a.logit_gradients[i], &y = b.logit_gradients[i];
    most = std::max(most, (x - y).abs().max().item<double>() / x.abs().max().item<double>());
  }
  return most;
}

// Every step sees other frames, other masks and another temperature. Only esl keeps its mask: where it
// rewires by gradients rounding decides, and its recorded steps are compared with plain ones bit for bit
// (DeterministicRun).
TEST(CudaStepRecorder, RecordedStepsGiveWhatPlainOnesGive) {
  ASSERT_TRUE(test::kHasGpu);
  for (const std::string& method : sparsity::methods().names()) {
    SCOPED_TRACE(method);
    std::vector<std::string> overrides{"method.name=" + method};
    if (method == "esl") overrides.emplace_back("method.every=1000");
    const Outcome plain = train(overrides, false), recorded = train(overrides, true);
    for (size_t i = 0; i < plain.losses.size(); ++i)
      EXPECT_NEAR(recorded.losses[i], plain.losses[i], 2e-3 * plain.losses[i]) << "step " << i;
    EXPECT_TRUE(test::tensors_close(recorded.first_weight, plain.first_weight, {2e-3, 2e-3}));
  }
}

// What a graph reads anew at every replay: temperature, noise, and the number of the draw. A dial
// that kept the value it was recorded with would be seen in the logits' gradients, which the second
// half of the test shows for each of them.
TEST(CudaStepRecorder, EveryDialOfADrawIsReadAnew) {
  const std::vector<std::string> moving{"method.name=spikenm",   "method.preset=paper",
                                        "method.tau_max=2",      "method.tau_min=0.2",
                                        "method.noise=[1, 0.3]", "method.lambda_eid=0"};
  const Outcome plain = train(moving, false);
  EXPECT_LT(distance(plain, train(moving, true)), 1e-2);
  for (const char* stale : {"method.tau_min=2", "method.noise=[1, 1]", "method.redraw_every=100"}) {
    std::vector<std::string> overrides = moving;
    overrides.emplace_back(stale);
    EXPECT_GT(distance(plain, train(overrides, false)), 0.1) << stale;
  }
}

}  // namespace
}  // namespace spikenm::train
