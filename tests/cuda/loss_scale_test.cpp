// Gradients of half precision on the GPU, with the loss scaled, against those of float.
#include "spikenm/train/loss_scale.h"

#include "spikenm/core/text.h"
#include "spikenm/train/recipe.h"
#include "spikenm/train/search_hooks.h"
#include "support/gpu.h"
#include "support/tensors.h"

#include <limits>

namespace spikenm::train {
namespace {

using at::Tensor;

struct Run {
  Recipe recipe;
  Stepper stepper;
  Schedule schedule{.kind = Schedule::Kind::kConstant};
  SearchHooks search;

  explicit Run(Recipe r)
      : recipe(std::move(r)),
        stepper(*recipe.model.network, recipe.model.T, recipe.loss, recipe.optimizer, 0),
        search(*recipe.model.method, schedule, stepper.optimizer()) {}
};

std::unique_ptr<Run> run_in(const std::string& precision, const std::vector<std::string>& more) {
  ops::cuda_is_available();
  Config config;
  for (const char* assignment : {"device=cuda", "model.name=small_conv", "model.width=16",
                                 "model.T=4", "data.train_size=100", "train.loss=tet"})
    config.override_with(assignment);
  config.override_with("precision=" + precision);
  for (const std::string& assignment : more) config.override_with(assignment);
  return std::make_unique<Run>(read_recipe(config));
}

// Many samples: the mean over them is what makes errors small.
BatchTensors batch_for(const Run& run, uint32_t stream, double factor = 1) {
  const graph::FrameShape& f = run.recipe.model.network->frame();
  return {
      .frames =
          (test::normal_tensor({4, 64, f.channels, f.height, f.width}, at::kFloat, stream).abs() *
           factor)
              .to(at::kCUDA),
      .labels = at::arange(64, at::kLong).remainder(10).to(at::kCUDA)};
}

// What the gradients of a step's backward are, by name, credits and logits included.
std::vector<nn::NamedTensor> gradients_in(const std::string& precision,
                                          const std::vector<std::string>& more) {
  const auto run = run_in(precision, more);
  const StepHooks hooks = run->search.hooks();
  ModelRecipe& model = run->recipe.model;
  const BatchTensors batch = batch_for(*run, 7);
  hooks.before_forward({.phase_steps = 100, .steps = 100});
  run->stepper.backward(run->stepper.loss(run->stepper.forward(batch), batch), hooks);
  std::vector<nn::NamedTensor> all;
  for (const nn::NamedTensor& p : model.network->parameters())
    all.push_back({p.name, p.tensor.grad().cpu()});
  for (const sparsity::MaskableLayer& layer : model.method->layers())
    if (const auto sink = model.method->credit(layer.id))
      all.push_back({"credit of " + layer.synapse->name, sink->credit.cpu()});
  for (const nn::NamedTensor& p : hooks.parameters) all.push_back({p.name, p.tensor.grad().cpu()});
  return all;
}

// A spike that rounding decides changes the gradient at some places, so vectors are compared by
// the angle between them and their lengths.
void expect_alike(const Tensor& found, const Tensor& wanted, const std::string& name) {
  const double a = found.norm().item<double>(), b = wanted.norm().item<double>();
  ASSERT_GT(b, 0) << name;
  EXPECT_NEAR(a / b, 1, 0.1) << name;
  EXPECT_GT((found * wanted).sum().item<double>() / (a * b), 0.9) << name;
}

TEST(CudaLossScale, GradientsCreditsAndLogitsOfHalfAreThoseOfFloat) {
  for (const std::vector<std::string>& method :
       {std::vector<std::string>{"method.name=dense"},
        {"method.name=spikenm", "method.preset=paper", "method.credit_scale=raw"},
        {"method.name=spikenm", "method.preset=paper", "method.credit=net"}}) {
    SCOPED_TRACE(join(method, " "));
    const auto half = gradients_in("fp16", method), whole = gradients_in("fp32", method);
    ASSERT_EQ(half.size(), whole.size());
    for (size_t i = 0; i < half.size(); ++i)
      expect_alike(half[i].tensor, whole[i].tensor, half[i].name);
  }
}

// Frames so bright that the first errors overflow: weights and logits stay as they were, bit for
// bit, the scale falls, and the next good batch is the first step of both optimisers.
TEST(CudaLossScale, AnOverflowIsSkippedAndTheNextStepIsTheFirst) {
  for (const bool record : {false, true}) {
    const auto run = run_in("fp16", {"method.name=spikenm", "method.preset=paper"});
    run->stepper.record_steps(record);
    const StepHooks hooks = run->search.hooks();
    ModelRecipe& model = run->recipe.model;
    const Tensor& weight = model.network->synapses().front().weight;
    const Tensor before = weight.detach().clone(),
                 logits = hooks.parameters.front().tensor.detach().clone();
    Position at{.phase_steps = 1000, .steps = 1000};
    const auto step = [&](const BatchTensors& batch) {
      run->stepper.step(batch, at, 1e-3, hooks);
      ++at.phase_step;
      ++at.step;
    };
    BatchTensors bad = batch_for(*run, 7);
    bad.frames.index_put_({0, 0, 0, 0, 0}, std::numeric_limits<float>::infinity());
    for (int i = 0; i < 5; ++i) step(bad);  // recorded from the fourth on
    EXPECT_EQ(run->stepper.scaler()->state()["skipped_steps"], 5);
    EXPECT_EQ(run->stepper.scaler()->state()["loss_scale"], LossScaler::kFirst / 32);
    EXPECT_TRUE(test::tensors_identical(weight.detach().cpu(), before.cpu()));
    EXPECT_TRUE(
        test::tensors_identical(hooks.parameters.front().tensor.detach().cpu(), logits.cpu()));
    for (const nn::NamedTensor& b : model.network->buffers())  // the forward itself met infinities
      Tensor(b.tensor).copy_(b.name.ends_with("running_var") ? at::ones_like(b.tensor)
                                                             : at::zeros_like(b.tensor));
    step(batch_for(*run, 8));
    // Adam's first step moves every weight that has a gradient by the rate.
    const double moved = (weight.detach() - before).abs().max().item<double>();
    EXPECT_NEAR(moved, 1e-3, 1e-5);
    EXPECT_EQ(run->stepper.scaler()->state()["skipped_steps"], 5);
  }
}

}  // namespace
}  // namespace spikenm::train
