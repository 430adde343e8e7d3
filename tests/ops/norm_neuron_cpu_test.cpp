#include "spikenm/ops/norm_neuron_cpu.h"

#include "spikenm/ops/neuron_seq.h"
#include "support/expect_error.h"
#include "support/neuron_run.h"
#include "support/tensors.h"

namespace spikenm::ops {
namespace {

using kernels::Neuron;
using kernels::NeuronParams;
using test::gradients;
using test::normal_tensor;
using test::tensors_close;
using test::tensors_equal;
using test::tensors_identical;
using test::trained;

// One position and several, one channel, around vectors of 8 and 16, T = 1 and long sequences.
const std::vector<int64_t> kShapes[] = {{1, 2, 1},        {5, 3, 17},      {33, 2, 5, 3, 1},
                                        {5, 2, 17, 7, 5}, {1, 4, 5, 7, 5}, {33, 1, 1, 7, 5},
                                        {4, 3, 5, 1, 1},  {2, 2, 3, 4, 4}};

BatchNormState state_of(int64_t channels) {
  return {.gamma = trained(1 + normal_tensor({channels}, at::kFloat, 11, 0.3)),
          .beta = trained(normal_tensor({channels}, at::kFloat, 12, 0.5)),
          .running_mean = normal_tensor({channels}, at::kFloat, 13),
          .running_var = 0.5 + normal_tensor({channels}, at::kFloat, 14).square(),
          .eps = 1e-3,
          .momentum = 0.3};
}

// The unfused ops on an input that is repeated where it has one step.
Tensor unfused(const Tensor& x, int64_t steps, BatchNormState* norm, const NeuronParams& p,
               bool training) {
  const Tensor y = norm != nullptr ? batch_norm(x, *norm, training) : x;
  std::vector<int64_t> repeats(static_cast<size_t>(x.dim()), 1);
  repeats[0] = steps / x.size(0);
  return neuron_seq(y.repeat(repeats), p);
}

// A sum over many values, relative to the largest.
test::Tolerance rounding(const Tensor& wanted) {
  return {2e-5 * std::max(0.1, wanted.abs().max().item<double>()), 2e-5};
}

void expect_equals_unfused(const NeuronParams& p, std::vector<int64_t> shape, bool constant,
                           bool has_norm) {
  SCOPED_TRACE(testing::Message() << test::describe(p) << " " << at::IntArrayRef(shape) << " "
                                  << constant << has_norm);
  const int64_t steps = shape[0];
  const Tensor g = normal_tensor(shape, at::kFloat, 4);
  if (constant) shape[0] = 1;
  const Tensor x = trained(normal_tensor(shape, at::kFloat, 1, 2) + 0.5);
  BatchNormState ours = state_of(shape[2]), theirs = state_of(shape[2]);
  const Tensor found = norm_neuron_cpu(
      x, {.params = p, .norm = has_norm ? &ours : nullptr, .steps = steps, .training = true});
  const Tensor wanted = unfused(x, steps, has_norm ? &theirs : nullptr, p, true);
  ASSERT_TRUE(tensors_equal(found, wanted));
  std::vector<Tensor> found_inputs{x}, wanted_inputs{x};
  if (has_norm) {
    found_inputs.insert(found_inputs.end(), {ours.gamma, ours.beta});
    wanted_inputs.insert(wanted_inputs.end(), {theirs.gamma, theirs.beta});
    EXPECT_TRUE(tensors_close(ours.running_mean, theirs.running_mean, {1e-6, 1e-6}));
    EXPECT_TRUE(tensors_close(ours.running_var, theirs.running_var, {1e-6, 1e-5}));
  }
  const auto found_grads = gradients(found, g, found_inputs);
  const auto wanted_grads = gradients(wanted, g, wanted_inputs);
  for (size_t i = 0; i < wanted_grads.size(); ++i)
    EXPECT_TRUE(tensors_close(found_grads[i], wanted_grads[i], rounding(wanted_grads[i]))) << i;
}

TEST(NormNeuronCpu, SpikesStatisticsAndGradientsEqualTheUnfusedOps) {
  for (const auto& shape : kShapes)
    for (const bool constant : {false, true})
      for (const bool has_norm : {true, false}) {
        if (has_norm && shape[1] * (constant ? 1 : shape[0]) == 1 && shape.size() == 3) continue;
        for (const Neuron neuron : {Neuron::kIf, Neuron::kLif})
          expect_equals_unfused({.neuron = neuron, .detach_reset = false}, shape, constant,
                                has_norm);
      }
}

TEST(NormNeuronCpu, EveryOptionOfTheNeuronIsHonoured) {
  for (const NeuronParams& p : test::fusable_neuron_params())
    expect_equals_unfused(p, {5, 2, 3, 3, 7}, false, true);
}

TEST(NormNeuronCpu, EvaluationUsesTheRunningStatisticsAndMovesNone) {
  for (const auto& shape : kShapes) {
    SCOPED_TRACE(testing::Message() << at::IntArrayRef(shape));
    const Tensor x = trained(normal_tensor(shape, at::kFloat, 1, 2));
    BatchNormState ours = state_of(shape[2]), theirs = state_of(shape[2]);
    const Tensor found = norm_neuron_cpu(x, {.norm = &ours, .steps = shape[0], .training = false});
    EXPECT_TRUE(tensors_equal(found, unfused(x.detach(), shape[0], &theirs, {}, false)));
    EXPECT_TRUE(tensors_identical(ours.running_mean, theirs.running_mean));
    EXPECT_TRUE(tensors_identical(ours.running_var, theirs.running_var));
    // Gradients flow there too, through constants: those of ATen's evaluation.
    const Tensor y = at::batch_norm(x.flatten(0, 1), theirs.gamma, theirs.beta, theirs.running_mean,
                                    theirs.running_var, false, 0, theirs.eps, false)
                         .view(x.sizes());
    const Tensor g = normal_tensor(shape, at::kFloat, 4);
    const auto found_grads = gradients(found, g, {x, ours.gamma, ours.beta});
    const auto wanted_grads = gradients(neuron_seq(y, {}), g, {x, theirs.gamma, theirs.beta});
    for (size_t i = 0; i < 3; ++i)
      EXPECT_TRUE(tensors_close(found_grads[i], wanted_grads[i], rounding(wanted_grads[i]))) << i;
  }
}

TEST(NormNeuronCpu, TransposedInputsAndGradientsCountAsTheirValues) {
  const Tensor x = trained(normal_tensor({5, 3, 4}, at::kFloat, 1));
  const Tensor g = normal_tensor({5, 3, 4}, at::kFloat, 2);
  BatchNormState a = state_of(3), b = state_of(3);
  const Tensor turned = norm_neuron_cpu(x.permute({2, 0, 1}), {.norm = &a, .steps = 4});
  const Tensor plain = norm_neuron_cpu(x.permute({2, 0, 1}).contiguous(), {.norm = &b, .steps = 4});
  EXPECT_TRUE(tensors_identical(turned, plain));
  EXPECT_TRUE(tensors_identical(gradients(turned, g.permute({2, 0, 1}), {x})[0],
                                gradients(plain, g.permute({2, 0, 1}).contiguous(), {x})[0]));
}

std::vector<Tensor> run_on(int n_threads, at::IntArrayRef shape) {
  const test::Threads scope(n_threads);
  BatchNormState s = state_of(shape[2]);
  const Tensor x = trained(normal_tensor(shape, at::kFloat, 1, 2));
  const Tensor y = norm_neuron_cpu(x, {.norm = &s, .steps = shape[0]});
  std::vector<Tensor> all = gradients(y, normal_tensor(shape, at::kFloat, 4), {x, s.gamma, s.beta});
  all.insert(all.end(), {y, s.running_mean, s.running_var});
  return all;
}

TEST(NormNeuronCpu, OneThreadAndTwoGiveTheSameBits) {
  const std::vector<int64_t> shapes[] = {{4, 8, 33}, {4, 20, 7, 24, 24}, {2, 300, 130}};
  for (const auto& shape : shapes) {
    const auto one = run_on(1, shape), two = run_on(2, shape);
    for (size_t i = 0; i < one.size(); ++i)
      EXPECT_TRUE(tensors_identical(two[i], one[i])) << i << " " << at::IntArrayRef(shape);
  }
}

// The pool behind the neurons is another call.
TEST(NormNeuronCpu, ServesFloatsOfOneStateWithoutALearntLeak) {
  const Place floats{.device = at::kCPU, .steps = 40},
      doubles{.device = at::kCPU, .type = at::kDouble, .steps = 40};
  const graph::Shape map{8, 6, 6};
  const graph::PoolGeometry pool;
  const auto fuses = [&](const NeuronParams& p, const Place& place) {
    EXPECT_FALSE(fusing(p, place, map, &pool).pool);
    EXPECT_EQ(fusing(p, place, map, &pool).norm_neuron, fusing(p, place, map, nullptr).norm_neuron);
    return fusing(p, place, map, nullptr).norm_neuron;
  };
  EXPECT_TRUE(fuses({}, floats));
  for (const graph::NeuronTraits& kind : graph::neuron_kinds())
    EXPECT_EQ(fuses({.neuron = kind.kind}, floats), !kind.learns_leak && kind.states == 1)
        << kind.name;
  EXPECT_FALSE(fuses({}, doubles));
}

TEST(NormNeuronCpu, IsWhatNormNeuronCallsHere) {
  const Tensor x = normal_tensor({4, 2, 3, 5, 5}, at::kFloat, 1, 2);
  BatchNormState a = state_of(3), b = state_of(3);
  const Spikes found = norm_neuron(x, {.norm = &a, .steps = 4});
  EXPECT_TRUE(tensors_identical(found.values, norm_neuron_cpu(x, {.norm = &b, .steps = 4})));
  EXPECT_FALSE(found.bits.defined());
}

TEST(NormNeuronCpu, WrongStepsAndSingleValuesAreErrors) {
  BatchNormState s = state_of(3);
  EXPECT_ERROR(norm_neuron_cpu(at::ones({2, 1, 3}), {.steps = 4}), "neuron", "found 2 time steps",
               "wanted 1 or 4");
  EXPECT_ERROR(norm_neuron_cpu(at::ones({0, 1, 3}), {.steps = 4}), "neuron", "found 0 time steps");
  EXPECT_ERROR(norm_neuron_cpu(at::ones({4, 3}), {.steps = 4}), "2-d input", "[T,B,C,...]");
  EXPECT_ERROR(norm_neuron_cpu(at::ones({1, 1, 3}), {.norm = &s, .steps = 4}), "batch norm",
               "two or more");
  EXPECT_EQ(
      norm_neuron_cpu(at::ones({1, 1, 3}), {.norm = &s, .steps = 4, .training = false}).numel(),
      12);
}

// They would run with a leak that is not theirs.
TEST(NormNeuronCpu, NeuronsThatItCannotRunAreRefused) {
  const Tensor x = at::ones({4, 2, 3});
  for (const Neuron neuron : {Neuron::kPlif, Neuron::kCubaLif}) {
    EXPECT_THROW(norm_neuron_cpu(x, {.params = {.neuron = neuron}, .steps = 4}), Bug);
    EXPECT_THROW(norm_neuron(x, {.params = {.neuron = neuron}, .steps = 4}), Bug);
  }
}

}  // namespace
}  // namespace spikenm::ops
