#include "spikenm/ops/neuron_seq.h"

#include "support/eager_neuron.h"
#include "support/expect_error.h"
#include "support/neuron_run.h"
#include "support/tensors.h"

namespace spikenm::ops {
namespace {

using kernels::Neuron;
using kernels::NeuronParams;
using test::eager_neuron;
using test::gradients;
using test::kRealTypes;
using test::normal_tensor;
using test::tensors_close;
using test::tensors_equal;
using test::tensors_identical;
using test::trained;

test::Tolerance tolerance_of(at::ScalarType type) {
  return type == at::kDouble ? test::Tolerance{1e-10, 1e-10} : test::Tolerance{1e-5, 1e-5};
}

// w with sigmoid(w) = k of a neuron that learns its leak, undefined for the others.
Tensor leak_of(const NeuronParams& p, at::ScalarType type) {
  if (!graph::traits_of(p.neuron).learns_leak) return {};
  return at::full({1}, std::log(p.k / (1 - p.k)), type).set_requires_grad(true);
}

void expect_equals_eager(const NeuronParams& p, at::IntArrayRef shape, at::ScalarType type) {
  SCOPED_TRACE(testing::Message() << test::describe(p) << ", " << shape << " " << type);
  const Tensor x = trained(normal_tensor(shape, type, 1)), leak = leak_of(p, type);
  const Tensor found = neuron_seq(x, p, leak), wanted = eager_neuron(x, p, leak);
  ASSERT_TRUE(tensors_equal(found, wanted));
  std::vector<Tensor> inputs = {x};
  if (leak.defined()) inputs.push_back(leak);
  const Tensor g = normal_tensor(shape, type, 2);
  const auto found_grads = gradients(found, g, inputs), wanted_grads = gradients(wanted, g, inputs);
  EXPECT_TRUE(tensors_close(found_grads[0], wanted_grads[0], tolerance_of(type)));
  if (!leak.defined()) return;
  // A sum over all neurons and steps.
  EXPECT_NEAR(found_grads[1].item<double>(), wanted_grads[1].item<double>(),
              (type == at::kDouble ? 1e-10 : 1e-5) * static_cast<double>(x.numel()));
}

TEST(NeuronSeq, SpikesAndGradientsEqualTheUnrolledNeuron) {
  for (const NeuronParams& p : test::all_neuron_params())
    for (const at::ScalarType type : kRealTypes) expect_equals_eager(p, {6, 3, 2, 5, 7}, type);
}

TEST(NeuronSeq, AnyNumberOfStepsAndAnyShapeWork) {
  for (const graph::NeuronTraits& kind : graph::neuron_kinds())
    for (const at::ScalarType type : kRealTypes) {
      const NeuronParams p{.neuron = kind.kind, .k = 0.4, .threshold = 0.5, .detach_reset = false};
      const std::vector<int64_t> shapes[] = {
          {1}, {7}, {1, 1}, {1, 2, 3}, {2, 1}, {5, 2, 1, 17}, {1, 2, 3, 4, 5}, {3, 1, 1, 1, 1}};
      for (const auto& shape : shapes) expect_equals_eager(p, shape, type);
    }
}

TEST(NeuronSeq, SilentAndEverFiringNeuronsHaveTheirGradientsToo) {
  for (const double current : {0.0, -3.0, 9.0}) {
    const NeuronParams p{.detach_reset = false};
    const Tensor x = trained(at::full({4, 3}, current, at::kDouble));
    const Tensor found = neuron_seq(x, p), wanted = eager_neuron(x, p);
    EXPECT_TRUE(tensors_equal(found, at::full({4, 3}, current == 9 ? 1.0 : 0.0, at::kDouble)));
    const Tensor g = normal_tensor({4, 3}, at::kDouble, 2);
    EXPECT_TRUE(
        tensors_close(gradients(found, g, {x})[0], gradients(wanted, g, {x})[0], {1e-12, 1e-12}));
  }
}

// By hand: k 0.5, threshold 1, hard reset, scaled input: h = v + (x - v) / 2, and equality fires.
TEST(NeuronSeq, FiresWhenTheMembraneReachesTheThresholdAndResets) {
  const Tensor x = at::tensor(std::vector<float>{2.0f, 1.5f, 1.5f, 0.0f});
  // h: 1 (fires, to 0), 0.75, 1.125 (fires, to 0), 0.
  EXPECT_TRUE(tensors_equal(neuron_seq(x, {}), at::tensor(std::vector<float>{1, 0, 1, 0})));
}

TEST(NeuronSeq, TheLearntLeakReplacesThatOfTheParameters) {
  const Tensor x = normal_tensor({5, 40}, at::kFloat, 1, 2);
  NeuronParams p{.neuron = Neuron::kPlif, .k = 0.9};
  const Tensor leak = at::full({1}, std::log(0.25 / 0.75), at::kFloat);
  const Tensor found = neuron_seq(x, p, leak);
  EXPECT_FALSE(found.equal(neuron_seq(x, p)));
  p.k = 0.25;
  EXPECT_TRUE(tensors_equal(found, neuron_seq(x, p)));
}

TEST(NeuronSeq, TransposedInputsAndGradientsCountAsTheirValues) {
  const Tensor x = trained(normal_tensor({6, 4, 5}, at::kDouble, 1).transpose(0, 2));
  const Tensor turned = trained(normal_tensor({6, 4, 5}, at::kDouble, 1)).transpose(0, 2);
  const Tensor g = normal_tensor({6, 4, 5}, at::kDouble, 2).transpose(0, 2);
  const Tensor found = neuron_seq(turned, {}), wanted = neuron_seq(x.contiguous(), {});
  EXPECT_TRUE(tensors_identical(found, wanted));
  EXPECT_TRUE(tensors_identical(gradients(found, g, {turned})[0],
                                gradients(wanted, g.contiguous(), {x})[0]));
}

std::vector<Tensor> run_on(int n_threads, const NeuronParams& p) {
  const test::Threads scope(n_threads);
  const Tensor x = trained(normal_tensor({3, 60001}, at::kFloat, 1)), leak = leak_of(p, at::kFloat);
  const Tensor y = neuron_seq(x, p, leak);
  auto grads = gradients(y, normal_tensor({3, 60001}, at::kFloat, 2), {x, leak});
  return {y, grads[0], grads[1]};
}

TEST(NeuronSeq, OneThreadAndTwoGiveTheSameBits) {
  const NeuronParams p{.neuron = Neuron::kPlif, .detach_reset = false};
  const auto one = run_on(1, p), two = run_on(2, p);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(tensors_identical(two[i], one[i])) << i;
}

TEST(NeuronSeq, InputsWithoutATimeStepAreErrors) {
  EXPECT_ERROR(neuron_seq(at::ones({0, 3}), {}), "neuron", "no time step");
  EXPECT_ERROR(neuron_seq(at::scalar_tensor(1.0f), {}), "neuron", "no time step");
  EXPECT_ERROR(neuron_seq(at::ones({2, 3}, at::kInt), {}), "neuron: input",
               "float, or double on the cpu");
}

}  // namespace
}  // namespace spikenm::ops
