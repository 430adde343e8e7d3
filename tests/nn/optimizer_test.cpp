#include "spikenm/nn/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::nn {
namespace {

at::Tensor parameter(std::vector<float> values) {
  return at::tensor(values).set_requires_grad(true);
}

void set_gradient(at::Tensor& p, std::vector<float> values) {
  p.mutable_grad() = at::tensor(values);
}

// Two steps of each rule, worked out by hand from its definition.
TEST(Optimizer, SgdWithMomentumFollowsItsDefinition) {
  at::Tensor p = parameter({1.0f});
  Optimizer sgd({p}, {.kind = OptimizerKind::kSgd, .momentum = 0.9});
  set_gradient(p, {0.5f});
  sgd.step(0.1);
  EXPECT_FLOAT_EQ(p.item<float>(), 1.0f - 0.1f * 0.5f);
  sgd.step(0.1);  // buffer = 0.9 * 0.5 + 0.5
  EXPECT_FLOAT_EQ(p.item<float>(), 0.95f - 0.1f * 0.95f);
}

TEST(Optimizer, NesterovLooksAhead) {
  at::Tensor p = parameter({1.0f});
  Optimizer sgd({p}, {.kind = OptimizerKind::kSgd, .momentum = 0.9, .nesterov = true});
  set_gradient(p, {0.5f});
  sgd.step(0.1);  // 0.5 + 0.9 * 0.5
  EXPECT_FLOAT_EQ(p.item<float>(), 1.0f - 0.1f * 0.95f);
}

TEST(Optimizer, AdamsFirstStepIsTheRateWhateverTheGradient) {
  for (const float g : {1e-3f, 1.0f, 1e3f}) {
    at::Tensor p = parameter({0.0f});
    Optimizer adam({p}, {.kind = OptimizerKind::kAdam});
    set_gradient(p, {g});
    adam.step(0.01);
    EXPECT_NEAR(p.item<float>(), -0.01, 1e-6) << g;
  }
}

TEST(Optimizer, AdamFollowsItsDefinitionOverManySteps) {
  at::Tensor p = parameter({0.3f});
  Optimizer adam({p}, {.kind = OptimizerKind::kAdam, .weight_decay = 0.1});
  double w = 0.3f, m = 0, v = 0;
  for (int t = 1; t <= 20; ++t) {
    const double raw = std::sin(t);
    set_gradient(p, {static_cast<float>(raw)});
    adam.step(0.02);
    const double g = raw + 0.1 * w;
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    w -= 0.02 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
  }
  EXPECT_NEAR(p.item<float>(), w, 1e-5);
}

TEST(Optimizer, AdamWShrinksTheWeightApartFromTheGradient) {
  at::Tensor p = parameter({2.0f});
  Optimizer adamw({p}, {.kind = OptimizerKind::kAdamW, .weight_decay = 0.5});
  set_gradient(p, {0.0f});
  adamw.step(0.1);
  EXPECT_FLOAT_EQ(p.item<float>(), 2.0f * (1 - 0.1f * 0.5f));
}

TEST(Optimizer, ClearedMomentsMoveNothing) {
  at::Tensor p = parameter({1.0f, 1.0f});
  Optimizer sgd({p}, {.kind = OptimizerKind::kSgd, .momentum = 0.9});
  set_gradient(p, {1.0f, 1.0f});
  sgd.step(0.1);
  sgd.clear_moments(p, at::tensor(std::vector<float>{1.0f, 0.0f}));
  set_gradient(p, {0.0f, 0.0f});
  sgd.step(0.1);
  EXPECT_FLOAT_EQ(p[0].item<float>(), 0.9f - 0.09f);
  EXPECT_FLOAT_EQ(p[1].item<float>(), 0.9f);
}

TEST(Optimizer, ParametersWithoutGradientStay) {
  at::Tensor p = parameter({1.0f});
  Optimizer adam({p}, {});
  adam.step(0.1);
  EXPECT_FLOAT_EQ(p.item<float>(), 1.0f);
}

TEST(Optimizer, ClippingScalesTheNormOfAllGradientsTogether) {
  at::Tensor a = parameter({0.0f}), b = parameter({0.0f});
  Optimizer sgd({a, b}, {.kind = OptimizerKind::kSgd, .momentum = 0});
  set_gradient(a, {3.0f});
  set_gradient(b, {4.0f});
  sgd.clip_gradients(6.0);  // the norm is 5: nothing to do
  EXPECT_FLOAT_EQ(a.grad().item<float>(), 3.0f);
  sgd.clip_gradients(1.0);
  EXPECT_NEAR(a.grad().item<float>(), 0.6f, 1e-6);
  EXPECT_NEAR(b.grad().item<float>(), 0.8f, 1e-6);
}

}  // namespace
}  // namespace spikenm::nn
