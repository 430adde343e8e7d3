// What every loss must do, whatever it is.
#include "spikenm/train/loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::train {
namespace {

const at::Tensor kLabels = at::tensor(std::vector<int64_t>{2, 0});

// [3,2,4]
at::Tensor scores() {
  return at::arange(24, at::kFloat).mul(1.7).sin().view({3, 2, 4});
}

TEST(EveryLoss, IsAFiniteScalarWithGradientAtEveryStepAndSample) {
  for (const auto& row : losses().rows()) {
    const at::Tensor s = scores().set_requires_grad(true);
    const at::Tensor loss = row.make(s, kLabels);
    EXPECT_EQ(loss.dim(), 0) << row.name;
    EXPECT_TRUE(std::isfinite(loss.item<double>())) << row.name;
    loss.backward();
    EXPECT_GT(s.grad().abs().sum(2).min().item<double>(), 0) << row.name;
    EXPECT_TRUE(s.grad().isfinite().all().item<bool>()) << row.name;
  }
}

TEST(EveryLoss, FallsWhenTheRightScoresRise) {
  const at::Tensor towards = at::one_hot(kLabels, 4).to(at::kFloat).unsqueeze(0);
  for (const auto& row : losses().rows()) {
    const at::Tensor s = at::zeros({3, 2, 4});
    EXPECT_LT(row.make(s + 0.5 * towards, kLabels).item<double>(),
              row.make(s, kLabels).item<double>())
        << row.name;
  }
}

// Equal scores of 1/K are the best constant for all of them: the value is theirs, and no slope is
// left along any one answer for all samples.
TEST(EveryLoss, SaysWhatTheBestConstantAnswerCosts) {
  for (const auto& row : losses().rows())
    for (const int64_t K : {2, 10}) {
      const at::Tensor answer = at::full({K}, 1.0 / static_cast<double>(K)).set_requires_grad(true);
      const at::Tensor loss = row.make(answer.expand({3, K, K}), at::arange(K));
      EXPECT_NEAR(loss.item<double>(), row.make.of_constant(K), 1e-6) << row.name << K;
      loss.backward();
      EXPECT_LT(answer.grad().abs().max().item<double>(), 1e-6) << row.name << K;
    }
  EXPECT_NEAR(losses().find("ce").of_constant(10), 2.302585, 1e-6);
  EXPECT_NEAR(losses().find("tet").of_constant(10), 2.302585, 1e-6);
  EXPECT_NEAR(losses().find("mse").of_constant(10), 0.09, 1e-12);
}

TEST(EveryLoss, IsAMeanOverSamplesAndTime) {
  for (const auto& row : losses().rows()) {
    const double once = row.make(scores(), kLabels).item<double>();
    EXPECT_NEAR(row.make(scores().repeat({1, 2, 1}), kLabels.repeat({2})).item<double>(), once,
                1e-6)
        << row.name;
    EXPECT_NEAR(row.make(scores().repeat({2, 1, 1}), kLabels).item<double>(), once, 1e-6)
        << row.name;
  }
}

}  // namespace
}  // namespace spikenm::train
