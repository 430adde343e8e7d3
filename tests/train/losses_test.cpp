#include "spikenm/train/loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::train {
namespace {

double loss(const char* name, const std::vector<float>& scores, std::vector<int64_t> shape,
            const std::vector<int64_t>& labels) {
  return losses().find(name)(at::tensor(scores).view(shape), at::tensor(labels)).item<double>();
}

// -log softmax of the first of two scores.
double entropy(double right, double wrong) {
  return std::log(1 + std::exp(wrong - right));
}

// Two steps, one sample, two classes: the mean score is (1, 2).
const std::vector<float> kTwoSteps{0, 4, 2, 0};

TEST(CrossEntropy, IsThatOfTheMeanScore) {
  EXPECT_NEAR(loss("ce", kTwoSteps, {2, 1, 2}, {0}), entropy(1, 2), 1e-6);
  EXPECT_NEAR(loss("ce", kTwoSteps, {2, 1, 2}, {1}), entropy(2, 1), 1e-6);
  EXPECT_NEAR(loss("ce", std::vector<float>(10, 0), {1, 1, 10}, {3}), std::log(10), 1e-6);
}

TEST(Tet, IsTheMeanOverTimeOfEveryStepsCrossEntropy) {
  EXPECT_NEAR(loss("tet", kTwoSteps, {2, 1, 2}, {0}), (entropy(0, 4) + entropy(2, 0)) / 2, 1e-6);
}

TEST(Tet, PairsEveryStepWithTheSameLabels) {
  // [2,2,2]: samples 0 and 1 at step 0, then at step 1.
  const double wanted = (entropy(1, 0) + entropy(3, 0) + entropy(0, 2) + entropy(0, 5)) / 4;
  EXPECT_NEAR(loss("tet", {1, 0, 0, 3, 0, 2, 5, 0}, {2, 2, 2}, {0, 1}), wanted, 1e-6);
}

TEST(Tet, IsCrossEntropyForOneStep) {
  EXPECT_NEAR(loss("tet", {1, 0, 0, 3}, {1, 2, 2}, {0, 1}),
              loss("ce", {1, 0, 0, 3}, {1, 2, 2}, {0, 1}), 1e-7);
}

TEST(Mse, IsTheMeanSquareOverSamplesAndClassesOfTheMeanScore) {
  EXPECT_NEAR(loss("mse", kTwoSteps, {2, 1, 2}, {0}), (0.0 + 4.0) / 2, 1e-6);
  EXPECT_NEAR(loss("mse", kTwoSteps, {2, 1, 2}, {1}), (1.0 + 1.0) / 2, 1e-6);
  EXPECT_NEAR(loss("mse", {1, 0, 0.5, 0.5}, {1, 2, 2}, {0, 0}), (0 + 0 + 0.25 + 0.25) / 4, 1e-6);
}

}  // namespace
}  // namespace spikenm::train
