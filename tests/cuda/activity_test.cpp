// The activity of channels that the neurons' kernels add up, against tensor operations.
#include "spikenm/ops/norm_neuron.h"

#include "cuda/norm_neuron_case.h"
#include "spikenm/kernels/norm_neuron.h"
#include "spikenm/ops/neuron_seq.h"
#include "support/gpu.h"

namespace spikenm::ops {
namespace {

using test::fused_params, test::input_of, test::kOddNeuron, test::normal_tensor, test::state_of,
    test::tensors_close, test::tensors_identical;
using Case = test::NormNeuronCase;

const at::TensorOptions kGpu = at::TensorOptions(at::kCUDA).dtype(at::kFloat);

struct Watched {
  Tensor values, activity;
};

// Norm, neurons and perhaps a pool in one call. The activity begins at 2.
Watched fused(const Case& c, const graph::PoolGeometry* pool = nullptr, bool watch = true) {
  BatchNormState state = state_of(c, kGpu);
  const Tensor activity = watch ? at::full({c.shape[2]}, 2.0, kGpu) : Tensor();
  const Tensor values =
      norm_neuron(input_of(c).to(at::kCUDA, c.type),
                  {.params = c.params, .norm = &state, .steps = c.steps, .activity = activity},
                  pool)
          .values;
  return {values.detach().to(at::kFloat), activity};
}

// The same by the unfused op, whose activity is made by tensor operations.
Tensor unfused_activity(const Case& c) {
  BatchNormState state = state_of(c, kGpu);
  std::vector<int64_t> sizes = c.shape;
  sizes[0] = c.steps;
  const Tensor y = batch_norm(input_of(c).to(at::kCUDA, c.type).to(at::kFloat), state, true);
  Tensor activity = at::full({c.shape[2]}, 2.0, kGpu);
  neuron_seq(y.expand(sizes).contiguous(), c.params, {}, activity);
  return activity;
}

// A spike that rounding decides moves a channel's mean by about one over its neurons and steps.
double tolerance_of(const Case& c) {
  int64_t count = c.steps;
  for (size_t axis = 1; axis < c.shape.size(); ++axis) count *= axis == 2 ? 1 : c.shape[axis];
  return 1e-4 + 3.0 / static_cast<double>(count);
}

void expect_same_activity(const Case& c) {
  SCOPED_TRACE(testing::Message() << c);
  const Watched found = fused(c);
  EXPECT_TRUE(tensors_close(found.activity.cpu(), unfused_activity(c).cpu(), {tolerance_of(c), 0}));
  EXPECT_GT(found.activity.min().item<double>(), 2);
  EXPECT_TRUE(tensors_identical(found.values.cpu(), fused(c, nullptr, false).values.cpu()));
}

TEST(CudaActivity, EveryNeuronAddsUpWhatTheUnfusedOpDoes) {
  for (const kernels::NeuronParams& p : fused_params())
    for (const int64_t channels : {8, 17})
      expect_same_activity({.params = p, .shape = {5, 6, channels, 9, 7}, .steps = 5});
}

// More channels than a block has lanes, more positions than the grid has rows, one position.
TEST(CudaActivity, EveryShapeAddsUpWhatTheUnfusedOpDoes) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf})
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{4, 8, 64, 32, 32},
                                              {4, 16, 1, 64, 64},
                                              {4, 64, 2048 + 8},
                                              {1, 40, 24, 5, 5},
                                              {4, 30, 3}})
      expect_same_activity({.params = kOddNeuron, .shape = shape, .steps = 4, .type = type});
}

TEST(CudaActivity, APoolInTheSameCallLeavesItAsItIs) {
  for (const auto kind : {kernels::PoolKind::kMax, kernels::PoolKind::kAverage})
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16})
      for (const int64_t height : {2, 8, 32}) {
        const Case c{
            .params = kOddNeuron, .shape = {4, 5, 16, height, 6}, .steps = 4, .type = type};
        SCOPED_TRACE(testing::Message() << c);
        const graph::PoolGeometry pool{.kind = kind};
        ASSERT_TRUE(fusing(c.params, {.device = at::kCUDA, .type = type, .steps = 4},
                           {16, height, 6}, &pool)
                        .pool);
        const Watched pooled = fused(c, &pool);
        EXPECT_TRUE(tensors_close(pooled.activity.cpu(), fused(c).activity.cpu(), {1e-5, 1e-5}));
        EXPECT_TRUE(tensors_identical(pooled.values.cpu(), fused(c, &pool, false).values.cpu()));
      }
}

TEST(CudaActivity, TheSameValuesGiveTheSameBits) {
  const Case c{.params = kOddNeuron, .shape = {4, 8, 64, 32, 32}, .steps = 4};
  EXPECT_TRUE(tensors_identical(fused(c).activity.cpu(), fused(c).activity.cpu()));
}

}  // namespace
}  // namespace spikenm::ops
