// Batch norm and neuron in one op on the GPU, against the two unfused ops on the CPU in double.
#include "spikenm/ops/norm_neuron.h"

#include "cuda/norm_neuron_case.h"
#include "spikenm/kernels/norm_neuron.h"
#include "spikenm/kernels/spike_bits.h"
#include "spikenm/ops/neuron_seq.h"
#include "support/expect_error.h"
#include "support/gpu.h"

#include <algorithm>
#include <limits>

namespace spikenm::ops {
namespace {

using kernels::NeuronParams;
using test::exact_in;
using test::fused_params;
using test::gradients;
using test::input_of;
using test::kOddNeuron;
using test::normal_tensor;
using test::NormMode;
using test::state_of;
using test::tensors_close;
using test::tensors_equal;
using test::tensors_identical;
using test::trained;
using Case = test::NormNeuronCase;

// A membrane nearer to the threshold than this may fire on one device and not on the other.
constexpr double kRounding = 2e-5;

struct Outcome {
  Tensor spikes, bits;
  std::vector<Tensor> gradients;  // of the input, gamma and beta
  Tensor running_mean, running_var;
};

// Gradients of sum(spikes * g).
std::vector<Tensor> gradients_of(const Case& c, const Tensor& spikes, const Tensor& g,
                                 const Tensor& x, const BatchNormState& state) {
  if (c.norm == NormMode::kNone) return gradients(spikes, g, {x});
  return gradients(spikes, g, {x, state.gamma, state.beta});
}

// Batch norm, then the neuron; a constant input lasts for all steps.
Tensor unfused(const Case& c, const Tensor& x, BatchNormState& state, Tensor* current = nullptr) {
  std::vector<int64_t> sizes = c.shape;
  sizes[0] = c.steps;
  const Tensor normed =
      c.norm == NormMode::kNone ? x : batch_norm(x, state, c.norm == NormMode::kTraining);
  const Tensor y = normed.expand(sizes);
  if (current != nullptr) *current = y.detach();
  return neuron_seq(y, c.params);
}

// 1 for a neuron [B,C,...] whose spikes no rounding decides, else 0.
Tensor settled_neurons(const NeuronParams& p, const Tensor& current) {
  const auto x = test::values_of<double>(current);
  const auto run = test::run_neuron_ref<double>(p, current.size(0), x, x);
  const Tensor h = at::tensor(run.h, at::kDouble).view(current.sizes());
  return h.sub(p.threshold).abs().ge(kRounding).all(0).to(at::kDouble);
}

struct Reference {
  Outcome outcome;
  Tensor settled;  // [B,C,...]
  Tensor g;        // 0 for neurons that are not settled, whose gradient then vanishes everywhere
};

Reference run_on_cpu(const Case& c) {
  const Tensor x = trained(input_of(c).to(at::kDouble));
  BatchNormState state = state_of(c, at::kDouble);
  Tensor current;
  const Tensor spikes = unfused(c, x, state, &current);
  const Tensor settled = settled_neurons(c.params, current);
  const Tensor g = exact_in(normal_tensor(spikes.sizes(), at::kFloat, 2), c.type) * settled;
  return {.outcome = {.spikes = spikes.detach(),
                      .bits = {},
                      .gradients = gradients_of(c, spikes, g, x, state),
                      .running_mean = state.running_mean,
                      .running_var = state.running_var},
          .settled = settled,
          .g = g};
}

bool is_fused(const NeuronParams& params, int64_t steps, at::ScalarType type = at::kFloat) {
  const Place gpu{.device = at::kCUDA, .type = type, .steps = steps};
  return fusing(params, gpu, {8, 6, 6}, /*pool=*/nullptr).norm_neuron;
}

Outcome run_on_gpu(const Case& c, const Tensor& g) {
  const Tensor x = trained(input_of(c).to(at::kCUDA, c.type));
  BatchNormState state = state_of(c, at::TensorOptions(at::kCUDA).dtype(at::kFloat));
  const bool fused = is_fused(c.params, c.steps, c.type);
  EXPECT_EQ(fused, c.steps <= kernels::kMaxFusedSteps);
  const Spikes out = fused ? norm_neuron(x, {.params = c.params,
                                             .norm = c.norm == NormMode::kNone ? nullptr : &state,
                                             .steps = c.steps,
                                             .training = c.norm == NormMode::kTraining,
                                             .wants_bits = c.shape[2] % 8 == 0})
                           : Spikes{.values = unfused(c, x, state), .bits = {}};
  EXPECT_EQ(out.bits.defined(), fused && c.shape[2] % 8 == 0);
  return {.spikes = out.values.detach(),
          .bits = out.bits,
          .gradients = gradients_of(c, out.values, g.to(at::kCUDA), x, state),
          .running_mean = state.running_mean,
          .running_var = state.running_var};
}

Tensor as_double(const Tensor& t) {
  return t.cpu().to(at::kDouble);
}

// The bits hold the spikes in the order of memory, channels innermost.
void expect_bits_are_the_spikes(const Outcome& gpu) {
  if (!gpu.bits.defined()) return;
  Tensor wanted = gpu.spikes.cpu().to(at::kFloat);
  if (wanted.dim() == 5) wanted = wanted.permute({0, 1, 3, 4, 2});
  const Tensor bits = gpu.bits.cpu();
  ASSERT_EQ(bits.numel(), wanted.numel() / 8);
  Tensor found = at::empty({wanted.numel()});
  kernels::unpack_spikes(found.numel(), bits.const_data_ptr<uint8_t>(), data<float>(found));
  EXPECT_TRUE(tensors_equal(found, wanted.reshape({-1})));
}

double tolerance_of(at::ScalarType type) {
  if (type == at::kFloat) return 1e-4;
  return type == at::kHalf ? 4e-3 : 2e-2;
}

void expect_equals_unfused(const Case& c) {
  SCOPED_TRACE(testing::Message() << c);
  const Reference cpu = run_on_cpu(c);
  const int64_t n = cpu.settled.numel(), n_settled = cpu.settled.sum().item<int64_t>();
  ASSERT_GE(n_settled, n - 1 - n / 100);
  const Outcome gpu = run_on_gpu(c, cpu.g);
  EXPECT_TRUE(tensors_equal(as_double(gpu.spikes) * cpu.settled, cpu.outcome.spikes * cpu.settled));
  expect_bits_are_the_spikes(gpu);
  const double tolerance = tolerance_of(c.type);
  const char* const names[] = {"input", "gamma", "beta"};
  ASSERT_EQ(gpu.gradients.size(), cpu.outcome.gradients.size());
  for (size_t i = 0; i < gpu.gradients.size(); ++i) {
    const Tensor& wanted = cpu.outcome.gradients[i];
    const double scale = std::max(1.0, wanted.abs().max().item<double>());
    EXPECT_TRUE(tensors_close(as_double(gpu.gradients[i]), wanted, {tolerance * scale, tolerance}))
        << names[i];
  }
  EXPECT_TRUE(tensors_close(as_double(gpu.running_mean), cpu.outcome.running_mean, {1e-5, 1e-5}));
  EXPECT_TRUE(tensors_close(as_double(gpu.running_var), cpu.outcome.running_var, {1e-5, 1e-5}));
}

// The case under every norm that its size allows.
void expect_equals_unfused_with_every_norm(Case c) {
  int64_t per_channel = 1;
  for (const int64_t size : c.shape) per_channel *= size;
  per_channel /= c.shape[2];
  for (const NormMode norm : test::kNormModes) {
    if (norm == NormMode::kTraining && per_channel == 1) continue;
    c.norm = norm;
    expect_equals_unfused(c);
  }
}

TEST(CudaNormNeuron, RunningStatisticsStayWhereABatchIsNotFinite) {
  const Case c{.params = kOddNeuron, .shape = {4, 2, 8, 3, 3}, .steps = 4};
  const at::TensorOptions options = at::TensorOptions(at::kCUDA).dtype(at::kFloat);
  for (const bool fused : {true, false}) {
    BatchNormState state = state_of(c, options);
    const BatchNormState before = state_of(c, options);
    Tensor x = input_of(c).to(at::kCUDA);
    x[0][0][1][0][0] = std::numeric_limits<float>::quiet_NaN();
    if (fused) {
      norm_neuron(x, {.params = c.params, .norm = &state, .steps = c.steps, .training = true});
    } else {
      batch_norm(x, state, /*training=*/true);
    }
    EXPECT_TRUE(tensors_identical(state.running_mean[1].cpu(), before.running_mean[1].cpu()));
    EXPECT_TRUE(tensors_identical(state.running_var[1].cpu(), before.running_var[1].cpu()));
    EXPECT_FALSE(at::equal(state.running_mean[0], before.running_mean[0])) << fused;
    EXPECT_FALSE(at::equal(state.running_var[0], before.running_var[0])) << fused;
  }
}

TEST(CudaNormNeuron, EveryNeuronEqualsTheUnfusedOps) {
  for (const NeuronParams& p : fused_params())
    for (const int64_t channels : {8, 17})  // with and without bits
      expect_equals_unfused_with_every_norm(
          {.params = p, .shape = {5, 3, channels, 3, 5}, .steps = 5});
}

// Channels x maps x steps, the batch and the neuron taking turns. 17 steps are too many to fuse.
TEST(CudaNormNeuron, EveryShapeEqualsTheUnfusedOps) {
  const std::vector<NeuronParams> all = fused_params();
  size_t i = 0;
  for (const int64_t channels : {1, 3, 8, 17, 64, 255})
    for (const auto& [height, width] : {std::pair<int64_t, int64_t>{1, 1}, {3, 5}, {8, 8}})
      for (const int64_t steps : {1, 2, 4, 5, 8, 10, 16, 17}) {
        const int64_t batch = 1 + static_cast<int64_t>(i % 5);
        expect_equals_unfused_with_every_norm({.params = all[i * 7 % all.size()],
                                               .shape = {steps, batch, channels, height, width},
                                               .steps = steps});
        ++i;
      }
}

TEST(CudaNormNeuron, SixteenBitsEqualTheUnfusedOpsToTheirRounding) {
  const std::vector<NeuronParams> all = fused_params();
  size_t i = 0;
  for (const at::ScalarType type : {at::kBFloat16, at::kHalf})
    for (const int64_t channels : {1, 3, 8, 17, 64, 255})
      for (const int64_t steps : {1, 4, 10, 16}) {
        const int64_t batch = 1 + static_cast<int64_t>(i % 5);
        expect_equals_unfused_with_every_norm({.params = all[i * 7 % all.size()],
                                               .shape = {steps, batch, channels, 3, 5},
                                               .steps = steps,
                                               .type = type});
        ++i;
      }
}

// The reset detached, and not.
std::vector<NeuronParams> both_detachments() {
  std::vector<NeuronParams> both(2, kOddNeuron);
  both[1].detach_reset = false;
  return both;
}

TEST(CudaNormNeuron, AnInputThatLastsCountsAtEveryStep) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16})
    for (const int64_t steps : {1, 2, 5, 8, 16})
      for (const int64_t channels : {1, 3, 8, 17, 64})
        for (const NeuronParams& p : both_detachments())
          expect_equals_unfused_with_every_norm(
              {.params = p, .shape = {1, 3, channels, 3, 5}, .steps = steps, .type = type});
}

TEST(CudaNormNeuron, FeaturesWithoutAMapWorkToo) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf})
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{1, 2, 8}, {4, 3, 17}, {10, 1, 64}, {16, 5, 255}})
      expect_equals_unfused_with_every_norm(
          {.params = kOddNeuron, .shape = shape, .steps = shape[0], .type = type});
}

TEST(CudaNormNeuron, SilentAndEverFiringNeuronsHaveTheirGradientsToo) {
  for (const double shift : {-20.0, 20.0})
    for (const NeuronParams& p : both_detachments())
      expect_equals_unfused({.params = p,
                             .shape = {4, 2, 17, 3, 5},
                             .steps = 4,
                             .norm = NormMode::kNone,
                             .shift = shift});
}

// More than one block of threads, and sums over many positions.
TEST(CudaNormNeuron, LargeLayersEqualTheUnfusedOps) {
  const NeuronParams& p = kOddNeuron;
  expect_equals_unfused({.params = p, .shape = {4, 8, 64, 32, 32}, .steps = 4});
  expect_equals_unfused({.params = p, .shape = {4, 16, 1, 64, 64}, .steps = 4});
  expect_equals_unfused({.params = p, .shape = {10, 33, 7, 17, 19}, .steps = 10});
  expect_equals_unfused({.params = p, .shape = {8, 64, 2048}, .steps = 8, .norm = NormMode::kNone});
}

// Spikes, and the gradients of x, gamma and beta.
std::vector<Tensor> run_laid_out(const Tensor& values, const Tensor& g) {
  const Case c{.shape = values.sizes().vec(), .steps = values.size(0)};
  const Tensor x = values.detach().set_requires_grad(true);
  BatchNormState state = state_of(c, at::TensorOptions(at::kCUDA).dtype(at::kFloat));
  const Tensor spikes = norm_neuron(x, {.norm = &state, .steps = c.steps}).values;
  std::vector<Tensor> all = gradients(spikes, g, {x, state.gamma, state.beta});
  all.push_back(spikes.detach());
  return all;
}

// Sums have a fixed order, whatever the layout of what is given; a given gradient stays as it is.
TEST(CudaNormNeuron, TheSameValuesGiveTheSameBits) {
  const Case c{.shape = {5, 3, 40, 9, 7}, .steps = 5};
  const Tensor x = input_of(c).to(at::kCUDA);
  const Tensor g = normal_tensor(c.shape, at::kFloat, 2).to(at::kCUDA), kept = g.cpu();
  const std::vector<Tensor> first = run_laid_out(x, g);
  for (const Tensor& same : {x, channels_last(x)})
    for (const Tensor& same_g : {g, channels_last(g)}) {
      const std::vector<Tensor> again = run_laid_out(same, same_g);
      for (size_t i = 0; i < first.size(); ++i)
        EXPECT_TRUE(tensors_identical(again[i].cpu(), first[i].cpu())) << i;
      EXPECT_TRUE(tensors_identical(same_g.cpu(), kept));
    }
}

TEST(CudaNormNeuron, OneValueAChannelCannotTrain) {
  const Case c{.shape = {1, 1, 3}, .steps = 1};
  BatchNormState state = state_of(c, at::TensorOptions(at::kCUDA).dtype(at::kFloat));
  EXPECT_ERROR(norm_neuron(input_of(c).to(at::kCUDA), {.norm = &state}), "batch norm",
               "two or more");
}

TEST(CudaNormNeuron, LearntLeaksSecondStatesAndLongSequencesAreNotFused) {
  EXPECT_TRUE(is_fused({}, 16));
  EXPECT_FALSE(is_fused({}, 17));
  for (const graph::NeuronTraits& kind : graph::neuron_kinds())
    EXPECT_EQ(is_fused({.neuron = kind.kind}, 4), !kind.learns_leak && kind.states == 1)
        << kind.name;
}

}  // namespace
}  // namespace spikenm::ops
