// One whole search step in fp32 on the GPU against the same step on the CPU: loss, every gradient,
// the credits, and what the optimisers make of them.
#include "spikenm/core/text.h"
#include "spikenm/nn/encoder.h"
#include "spikenm/train/recipe.h"
#include "spikenm/train/search_hooks.h"
#include "support/gpu.h"
#include "support/margin_pass.h"

namespace spikenm::train {
namespace {

// A membrane nearer to its threshold may fire on one device and not on the other.
constexpr double kMargin = 1e-5;
constexpr double kRelative = 1e-4;
constexpr int64_t kSteps = 4, kBatch = 2;

struct Case {
  std::vector<std::string> overrides;
};

Recipe recipe_on(const std::string& device, const Case& c) {
  Config config;
  for (const char* assignment :
       {"model.name=small_conv", "model.width=8", "model.T=4", "data.train_size=100",
        "precision=fp32", "train.optimizer=sgd", "train.momentum=0", "train.loss=tet"})
    config.override_with(assignment);
  config.override_with("device=" + device);
  for (const std::string& assignment : c.overrides) config.override_with(assignment);
  return read_recipe(config);
}

BatchTensors batch_of(const graph::FrameShape& f, uint32_t stream) {
  return {.frames = test::normal_tensor({kSteps, kBatch, f.channels, f.height, f.width}, at::kFloat,
                                        stream),
          .labels = at::arange(kBatch, at::kLong)};
}

// How far the first step's membranes stay from the threshold, under the masks it has.
double margin_of(const Case& c, uint32_t stream) {
  Recipe recipe = recipe_on("cpu", c);
  const sparsity::MethodHooks hooks(*recipe.model.method);
  recipe.model.method->begin_step({.step = 0, .steps = 100});
  test::MarginPass pass(kSteps);
  const BatchTensors batch = batch_of(recipe.model.network->frame(), stream);
  static_cast<void>(recipe.model.network->forward(pass, nn::encode(batch.frames, kSteps)));
  return pass.margin();
}

// The first batch whose spikes no rounding decides.
uint32_t settled_batch(const Case& c) {
  for (uint32_t stream = 100; stream < 140; ++stream)
    if (margin_of(c, stream) >= kMargin) return stream;
  return 0;
}

// Everything one step leaves behind, by name.
std::vector<nn::NamedTensor> take_step(const std::string& device, const Case& c, uint32_t stream) {
  Recipe recipe = recipe_on(device, c);
  ModelRecipe& model = recipe.model;
  Stepper stepper(*model.network, model.T, recipe.loss, recipe.optimizer, /*clip_norm=*/0.5);
  const Schedule schedule{.kind = Schedule::Kind::kConstant};
  SearchHooks search(*model.method, schedule, stepper.optimizer());
  BatchTensors batch = batch_of(model.network->frame(), stream);
  batch.frames = batch.frames.to(model.network->device());
  batch.labels = batch.labels.to(model.network->device());
  const StepResult result =
      stepper.step(batch, {.phase_steps = 100, .steps = 100}, 0.1, search.hooks());
  std::vector<nn::NamedTensor> all{{"loss", result.loss}};
  for (const nn::NamedTensor& p : model.network->parameters()) {
    all.push_back({"gradient of " + p.name, p.tensor.grad()});
    all.push_back({p.name, p.tensor});
  }
  for (const nn::NamedTensor& b : model.network->buffers()) all.push_back(b);
  for (const sparsity::MaskableLayer& layer : model.method->layers())
    if (const auto sink = model.method->credit(layer.id)) {
      if (sink->credit.defined()) all.push_back({"credit of " + layer.synapse->name, sink->credit});
      if (sink->gradient.defined())
        all.push_back({"kept gradient of " + layer.synapse->name, sink->gradient});
    }
  for (const sparsity::ParamGroup& group : model.method->param_groups())
    for (const at::Tensor& logits : group.tensors) {
      all.push_back({"gradient of logits", logits.grad()});
      // With a small eps the first step is a sign, which rounding may turn where a gradient is 0.
      if (group.optimizer.eps > 1e-3) all.push_back({"logits", logits});
    }
  for (const sparsity::MaskableNeurons& neurons : model.method->neurons())
    if (const at::Tensor activity = model.method->activity(neurons.id); activity.defined())
      all.push_back({"activity of " + neurons.neuron->name, activity});
  for (nn::NamedTensor& named : all) named.tensor = named.tensor.detach().cpu().to(at::kDouble);
  return all;
}

void expect_same_step(const Case& c) {
  SCOPED_TRACE(join(c.overrides, " "));
  const uint32_t stream = settled_batch(c);
  ASSERT_NE(stream, 0u) << "no batch keeps every membrane 1e-5 from its threshold";
  ASSERT_GE(margin_of(c, stream), kMargin);
  const auto cpu = take_step("cpu", c, stream), gpu = take_step("cuda", c, stream);
  ASSERT_EQ(cpu.size(), gpu.size());
  for (size_t i = 0; i < cpu.size(); ++i) {
    if (cpu[i].tensor.numel() == 0) continue;  // what no step of this method has filled
    const double largest = cpu[i].tensor.abs().max().item<double>();
    EXPECT_GT(largest, 0) << cpu[i].name;
    const double off = (gpu[i].tensor - cpu[i].tensor).abs().max().item<double>();
    EXPECT_LE(off, kRelative * largest) << cpu[i].name;
  }
}

TEST(CudaWholeStep, ADenseStepIsTheCpus) {
  expect_same_step({{"method.name=dense"}});
}

// Adam divides by the gradient's size, so its first step is a sign; with a large eps it is not.
TEST(CudaWholeStep, ASearchStepIsTheCpus) {
  for (const char* preset : {"paper", "default"})
    for (const char* scale : {"block-mean", "raw", "layer-mean"})
      expect_same_step({{"method.name=spikenm", std::string("method.preset=") + preset,
                         std::string("method.credit_scale=") + scale, "method.logit_eps=1"}});
}

TEST(CudaWholeStep, ASearchStepWithEachSwitchIsTheCpus) {
  for (const char* option : {"method.eid_target=credit-weight", "method.eid_target=uniform",
                             "method.eid_student=logits", "method.regrow=zero"})
    expect_same_step({{"method.name=spikenm", option, "method.logit_eps=1"}});
}

TEST(CudaWholeStep, AStepOfEveryMethodIsTheCpus) {
  for (const std::string& method : sparsity::methods().names())
    if (method != "spikenm") expect_same_step({{"method.name=" + method}});  // tested above
}

TEST(CudaWholeStep, AStepWithNeuronMasksBesideItIsTheCpus) {
  for (const char* method : {"upr", "random"})
    expect_same_step({{std::string("method.name=") + method, "method.granularity=weight+neuron"}});
}

}  // namespace
}  // namespace spikenm::train
