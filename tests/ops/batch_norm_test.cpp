#include "spikenm/ops/batch_norm.h"

#include "support/expect_error.h"
#include "support/tensors.h"

#include <cmath>

namespace spikenm::ops {
namespace {

using test::gradients;
using test::kRealTypes;
using test::normal_tensor;
using test::rounding_of;
using test::tensors_close;
using test::tensors_identical;
using test::trained;

// Lanes of 16 and beyond, one position, one channel, T = 1, B = 1.
const std::vector<int64_t> kShapes[] = {{1, 2, 1},       {4, 3, 5},        {1, 17, 33},
                                        {3, 1, 4},       {2, 3, 4, 5, 5},  {1, 1, 3, 1, 2},
                                        {5, 1, 1, 4, 4}, {1, 4, 2, 3, 11}, {2, 2, 3, 17, 1}};

BatchNormState state_of(int64_t channels, at::ScalarType type) {
  return {.gamma = trained(1 + normal_tensor({channels}, type, 11, 0.3)),
          .beta = trained(normal_tensor({channels}, type, 12)),
          .running_mean = normal_tensor({channels}, type, 13),
          .running_var = 0.5 + normal_tensor({channels}, type, 14).square(),
          .eps = 1e-3,
          .momentum = 0.3};
}

BatchNormState copy_of(const BatchNormState& s) {
  return {.gamma = trained(s.gamma),
          .beta = trained(s.beta),
          .running_mean = s.running_mean.clone(),
          .running_var = s.running_var.clone(),
          .eps = s.eps,
          .momentum = s.momentum};
}

// Mean and spread differ from channel to channel.
Tensor input_of(at::IntArrayRef shape, at::ScalarType type) {
  std::vector<int64_t> by_channel(shape.size(), 1);
  by_channel[2] = shape[2];
  const Tensor shift = normal_tensor({shape[2]}, type, 2, 2).view(by_channel);
  const Tensor scale = normal_tensor({shape[2]}, type, 3).exp().view(by_channel);
  return normal_tensor(shape, type, 1) * scale + shift;
}

// ATen's on the folded [T*B].
Tensor reference(const Tensor& x, BatchNormState& s, bool training) {
  return at::batch_norm(x.flatten(0, 1), s.gamma, s.beta, s.running_mean, s.running_var, training,
                        s.momentum, s.eps, false)
      .view(x.sizes());
}

TEST(BatchNorm, RunningStatisticsStayWhereABatchIsNotFinite) {
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    BatchNormState s = state_of(3, at::kFloat), before = copy_of(s);
    Tensor x = input_of({2, 4, 3, 5, 5}, at::kFloat);
    x[0][0][1][0][0] = value;
    batch_norm(x, s, /*training=*/true);
    EXPECT_TRUE(tensors_identical(s.running_mean[1], before.running_mean[1])) << value;
    EXPECT_TRUE(tensors_identical(s.running_var[1], before.running_var[1])) << value;
    for (const int64_t c : {0, 2}) {
      EXPECT_FALSE(at::equal(s.running_mean[c], before.running_mean[c]));
      EXPECT_FALSE(at::equal(s.running_var[c], before.running_var[c]));
    }
  }
}

TEST(BatchNorm, TrainingEqualsAtenOnTheFoldedBatch) {
  for (const at::ScalarType type : kRealTypes)
    for (const auto& shape : kShapes) {
      SCOPED_TRACE(testing::Message() << at::IntArrayRef(shape) << " " << type);
      BatchNormState ours = state_of(shape[2], type), theirs = copy_of(ours);
      const Tensor x = trained(input_of(shape, type)), g = normal_tensor(shape, type, 4);
      const Tensor found = batch_norm(x, ours, true), wanted = reference(x, theirs, true);
      EXPECT_TRUE(tensors_close(found, wanted, rounding_of(type)));
      EXPECT_TRUE(tensors_close(ours.running_mean, theirs.running_mean, rounding_of(type)));
      EXPECT_TRUE(tensors_close(ours.running_var, theirs.running_var, rounding_of(type)));
      const auto found_grads = gradients(found, g, {x, ours.gamma, ours.beta});
      const auto wanted_grads = gradients(wanted, g, {x, theirs.gamma, theirs.beta});
      const char* const names[] = {"input", "gamma", "beta"};
      for (size_t i = 0; i < 3; ++i)
        EXPECT_TRUE(tensors_close(found_grads[i], wanted_grads[i], rounding_of(type))) << names[i];
    }
}

TEST(BatchNorm, EvaluationEqualsAtenAndMovesNoStatistics) {
  for (const at::ScalarType type : kRealTypes)
    for (const auto& shape : kShapes) {
      BatchNormState ours = state_of(shape[2], type), theirs = copy_of(ours);
      const Tensor x = input_of(shape, type);
      const at::NoGradGuard no_grad;
      EXPECT_TRUE(
          tensors_close(batch_norm(x, ours, false), reference(x, theirs, false), rounding_of(type)))
          << at::IntArrayRef(shape) << " " << type;
      EXPECT_TRUE(tensors_identical(ours.running_mean, theirs.running_mean));
      EXPECT_TRUE(tensors_identical(ours.running_var, theirs.running_var));
    }
}

// The running statistics are constants: no mean is part of the gradient.
TEST(BatchNorm, EvaluationHasGradientsToo) {
  for (const at::ScalarType type : kRealTypes)
    for (const auto& shape : kShapes) {
      BatchNormState ours = state_of(shape[2], type), theirs = copy_of(ours);
      const Tensor x = trained(input_of(shape, type)), g = normal_tensor(shape, type, 4);
      const auto found = gradients(batch_norm(x, ours, false), g, {x, ours.gamma, ours.beta});
      const auto wanted = gradients(reference(x, theirs, false), g, {x, theirs.gamma, theirs.beta});
      for (size_t i = 0; i < 3; ++i)
        EXPECT_TRUE(tensors_close(found[i], wanted[i], rounding_of(type)))
            << i << " " << at::IntArrayRef(shape) << " " << type;
    }
}

// By hand: values 1, 3 have mean 2, variance 1 (2 unbiased); with eps 0 they become -1 and 1.
TEST(BatchNorm, RunningVarianceIsTheUnbiasedOne) {
  BatchNormState s{.gamma = at::ones({1}, at::kDouble),
                   .beta = at::zeros({1}, at::kDouble),
                   .running_mean = at::zeros({1}, at::kDouble),
                   .running_var = at::ones({1}, at::kDouble),
                   .eps = 0,
                   .momentum = 0.1};
  const Tensor y = batch_norm(at::tensor(std::vector<double>{1, 3}).view({2, 1, 1}), s, true);
  EXPECT_DOUBLE_EQ(y[0].item<double>(), -1);
  EXPECT_DOUBLE_EQ(y[1].item<double>(), 1);
  EXPECT_DOUBLE_EQ(s.running_mean.item<double>(), 0.2);
  EXPECT_DOUBLE_EQ(s.running_var.item<double>(), 0.9 + 0.1 * 2);
}

TEST(BatchNorm, ALargeMeanKeepsTheVariance) {
  const Tensor x = normal_tensor({4, 8, 2, 6, 6}, at::kFloat, 1) + 1e4;
  BatchNormState s = state_of(2, at::kFloat), exact = state_of(2, at::kDouble);
  s.gamma = s.gamma.detach();
  EXPECT_TRUE(tensors_close(batch_norm(x, s, true).to(at::kDouble),
                            reference(x.to(at::kDouble), exact, true), {1e-2, 0}));
}

TEST(BatchNorm, ASilentChannelGivesItsShift) {
  BatchNormState s = state_of(3, at::kFloat);
  const Tensor x = trained(at::zeros({2, 4, 3}));
  const Tensor y = batch_norm(x, s, true);
  EXPECT_TRUE(tensors_close(y, s.beta.expand({2, 4, 3}), {1e-6, 0}));
  EXPECT_TRUE(
      gradients(y, normal_tensor({2, 4, 3}, at::kFloat, 1), {x})[0].isfinite().all().item<bool>());
}

TEST(BatchNorm, TransposedInputsAndGradientsCountAsTheirValues) {
  const Tensor x = trained(normal_tensor({5, 3, 4}, at::kDouble, 1));
  const Tensor g = normal_tensor({5, 3, 4}, at::kDouble, 2);
  BatchNormState a = state_of(3, at::kDouble), b = copy_of(a);
  const Tensor turned = batch_norm(x.permute({2, 0, 1}), a, true);
  const Tensor plain = batch_norm(x.permute({2, 0, 1}).contiguous(), b, true);
  EXPECT_TRUE(tensors_identical(turned, plain));
  EXPECT_TRUE(tensors_identical(gradients(turned, g.permute({2, 0, 1}), {x})[0],
                                gradients(plain, g.permute({2, 0, 1}).contiguous(), {x})[0]));
}

std::vector<Tensor> run_on(int n_threads, at::IntArrayRef shape) {
  const test::Threads scope(n_threads);
  BatchNormState s = state_of(shape[2], at::kFloat);
  const Tensor x = trained(input_of(shape, at::kFloat));
  const Tensor y = batch_norm(x, s, true);
  std::vector<Tensor> all = gradients(y, normal_tensor(shape, at::kFloat, 4), {x, s.gamma, s.beta});
  all.insert(all.end(), {y, s.running_mean, s.running_var, batch_norm(x.detach(), s, false)});
  return all;
}

TEST(BatchNorm, OneThreadAndTwoGiveTheSameBits) {
  const std::vector<int64_t> shapes[] = {{4, 8, 33}, {4, 40, 7, 24, 24}, {2, 700, 130}};
  for (const auto& shape : shapes) {
    const auto one = run_on(1, shape), two = run_on(2, shape);
    for (size_t i = 0; i < one.size(); ++i)
      EXPECT_TRUE(tensors_identical(two[i], one[i])) << i << " " << at::IntArrayRef(shape);
  }
}

TEST(BatchNorm, OneValueAChannelCannotTrain) {
  BatchNormState s = state_of(3, at::kFloat);
  EXPECT_ERROR(batch_norm(at::ones({1, 1, 3}), s, true), "batch norm", "two or more");
  EXPECT_ERROR(batch_norm(at::ones({1, 1, 3, 1, 1}), s, true), "batch norm", "two or more");
  EXPECT_EQ(batch_norm(at::ones({1, 1, 3}), s, false).numel(), 3);
  EXPECT_ERROR(batch_norm(at::ones({2, 2, 3}, at::kInt), s, true), "batch norm: input",
               "float, or double on the cpu");
}

}  // namespace
}  // namespace spikenm::ops
