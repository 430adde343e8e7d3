#include "spikenm/ops/optimizer_step.h"

#include "support/tensors.h"

#include <cmath>

namespace spikenm::ops {
namespace {

using test::normal_tensor;
using test::tensors_close;
using test::tensors_identical;

// Parameters of several sizes, with gradients and moments.
std::vector<StepTensors> some_parameters() {
  std::vector<StepTensors> list;
  for (const int64_t n : {0, 1, 7, 1000})
    list.push_back({.parameter = normal_tensor({n}, at::kFloat, 1),
                    .gradient = normal_tensor({n}, at::kFloat, 2),
                    .first = normal_tensor({n}, at::kFloat, 3),
                    .second = normal_tensor({n}, at::kFloat, 4).abs()});
  return list;
}

TEST(OptimizerStep, SgdFollowsItsDefinitionForEveryParameter) {
  for (const bool nesterov : {false, true}) {
    const SgdRule rule{.lr = 0.1, .momentum = 0.8, .nesterov = nesterov, .weight_decay = 0.01};
    const std::vector<StepTensors> before = some_parameters(), after = some_parameters();
    sgd_step(after, rule, nullptr);
    for (size_t i = 0; i < before.size(); ++i) {
      const StepTensors& b = before[i];
      const at::Tensor g = b.gradient + 0.01 * b.parameter, momentum = 0.8 * b.first + g;
      const at::Tensor move = nesterov ? g + 0.8 * momentum : momentum;
      EXPECT_TRUE(tensors_close(after[i].first, momentum, {1e-5, 1e-6}));
      EXPECT_TRUE(tensors_close(after[i].parameter, b.parameter - 0.1 * move, {1e-5, 1e-6}));
    }
  }
}

TEST(OptimizerStep, AdamFollowsItsDefinitionWithBothKindsOfDecay) {
  for (const bool decoupled : {false, true}) {
    const AdamRule rule{.lr = 0.1, .weight_decay = 0.2, .decoupled = decoupled, .step = 3};
    const std::vector<StepTensors> before = some_parameters(), after = some_parameters();
    adam_step(after, rule, nullptr);
    for (size_t i = 0; i < before.size(); ++i) {
      const StepTensors& b = before[i];
      const at::Tensor g = decoupled ? b.gradient : b.gradient + 0.2 * b.parameter;
      const at::Tensor w = decoupled ? b.parameter * (1 - 0.1 * 0.2) : b.parameter;
      const at::Tensor mean = 0.9 * b.first + 0.1 * g, variance = 0.999 * b.second + 0.001 * g * g;
      const at::Tensor root = (variance / (1 - std::pow(0.999, 3))).sqrt() + 1e-8;
      const at::Tensor wanted = w - 0.1 / (1 - std::pow(0.9, 3)) * mean / root;
      EXPECT_TRUE(tensors_close(after[i].parameter, wanted, {1e-4, 1e-5}));
    }
  }
}

TEST(OptimizerStep, AGuardThatSkipsLeavesEverythingAsItWas) {
  const std::vector<StepTensors> before = some_parameters(), after = some_parameters();
  EXPECT_TRUE(StepGuard{}.is_new());
  StepGuard guard = make_guard(at::kCPU, 0);
  EXPECT_FALSE(guard.is_new());
  set_guard(at::ones({1}), {.lr = 0.1}, guard);
  adam_step(after, {.lr = 0.1}, &guard);
  sgd_step(after, {.lr = 0.1}, &guard);
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(tensors_identical(after[i].parameter, before[i].parameter));
    EXPECT_TRUE(tensors_identical(after[i].first, before[i].first));
    EXPECT_TRUE(tensors_identical(after[i].second, before[i].second));
  }
}

// The guard was set twice, and one step was taken: Adam's corrections are those of step 1.
TEST(OptimizerStep, AGuardDoesNotCountSkippedSteps) {
  const std::vector<StepTensors> guarded = some_parameters(), plain = some_parameters();
  StepGuard guard = make_guard(at::kCPU, 0);
  for (const float skip : {1.0f, 0.0f}) {
    set_guard(at::full({1}, skip), {.lr = 0.1}, guard);
    adam_step(guarded, {.lr = 0.1, .step = 7}, &guard);
  }
  adam_step(plain, {.lr = 0.1, .step = 1}, nullptr);
  for (size_t i = 0; i < plain.size(); ++i)
    EXPECT_TRUE(tensors_close(guarded[i].parameter, plain[i].parameter, {1e-6, 1e-7}));
}

// A run that began without a guard gets one when it goes on: nothing else changes.
TEST(OptimizerStep, AGuardThatBeginsLaterGivesTheBitsOfAStepWithoutOne) {
  const std::vector<StepTensors> guarded = some_parameters(), plain = some_parameters();
  StepGuard guard = make_guard(at::kCPU, 6);
  set_guard(at::zeros({1}), {.lr = 0.1}, guard);
  adam_step(guarded, {.lr = 0.1, .step = 7}, &guard);
  adam_step(plain, {.lr = 0.1, .step = 7}, nullptr);
  for (size_t i = 0; i < plain.size(); ++i)
    EXPECT_TRUE(tensors_identical(guarded[i].parameter, plain[i].parameter));
}

}  // namespace
}  // namespace spikenm::ops
