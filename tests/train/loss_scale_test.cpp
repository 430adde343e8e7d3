#include "spikenm/train/loss_scale.h"

#include "spikenm/nn/optimizer.h"
#include "support/tensors.h"

#include <limits>

namespace spikenm::train {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

double scale_of(const LossScaler& scaler) {
  return scaler.state()["loss_scale"].get<double>();
}

TEST(LossScale, ScalesTheLossAndUnscalesWhatIsNotYet) {
  LossScaler scaler(at::kCPU);
  EXPECT_EQ(scaler.scaled(at::full({}, 2.0f)).item<double>(), 2 * LossScaler::kFirst);
  EXPECT_EQ(scaler.inverse().item<double>(), 1 / LossScaler::kFirst);
  const at::Tensor weight = at::full({3}, 0.5f), bias = at::full({2}, 4.0f);
  scaler.finish({weight}, {bias});
  EXPECT_TRUE(test::tensors_identical(weight, at::full({3}, 0.5f)));
  EXPECT_TRUE(test::tensors_identical(bias, at::full({2}, 4.0f / 65536)));
  EXPECT_EQ(scaler.overflow().item<float>(), 0);
}

TEST(LossScale, AnOverflowAnywhereHalvesTheScaleAndIsCounted) {
  LossScaler scaler(at::kCPU);
  const at::Tensor good = at::ones({2}), bad = at::tensor(std::vector<float>{1, kInfinite});
  scaler.finish({good, bad}, {});
  EXPECT_NE(scaler.overflow().item<float>(), 0);
  scaler.update();
  EXPECT_EQ(scale_of(scaler), LossScaler::kFirst / 2);
  scaler.finish({}, {at::full({1}, std::numeric_limits<float>::quiet_NaN())});
  scaler.update();
  EXPECT_EQ(scale_of(scaler), LossScaler::kFirst / 4);
  EXPECT_EQ(scaler.inverse().item<double>(), 4 / LossScaler::kFirst);
  scaler.finish({good}, {});  // an earlier overflow is forgotten
  EXPECT_EQ(scaler.overflow().item<float>(), 0);
  scaler.update();
  EXPECT_EQ(scaler.state()["skipped_steps"], 2);
  EXPECT_EQ(scaler.skipped_steps(), 2);
}

TEST(LossScale, ManyGoodStepsDoubleTheScale) {
  LossScaler scaler(at::kCPU);
  for (int64_t i = 1; i < LossScaler::kStepsToDouble; ++i) {
    scaler.finish({at::ones({1})}, {});
    scaler.update();
  }
  EXPECT_EQ(scale_of(scaler), LossScaler::kFirst);
  scaler.finish({at::ones({1})}, {});
  scaler.update();
  EXPECT_EQ(scale_of(scaler), 2 * LossScaler::kFirst);
}

// Adam, AdamW and SGD with a step skipped in between against the same without that step.
TEST(LossScale, ASkippedStepLeavesNoTraceInAnOptimizer) {
  for (const auto kind :
       {nn::OptimizerKind::kAdam, nn::OptimizerKind::kAdamW, nn::OptimizerKind::kSgd}) {
    const nn::OptimizerOptions options{.kind = kind, .weight_decay = 0.1};
    const at::Tensor start = test::normal_tensor({20}, at::kFloat, 1);
    const at::Tensor with = test::trained(start), without = test::trained(start);
    nn::Optimizer guarded({with}, options), plain({without}, options);
    const at::Tensor take = at::zeros({1}), skip = at::ones({1});
    for (uint32_t i = 0; i < 6; ++i) {
      const at::Tensor gradient = test::normal_tensor({20}, at::kFloat, 2 + i);
      with.mutable_grad() = at::full({20}, kInfinite);
      if (i % 2 == 0) guarded.step(0.01, skip);
      with.mutable_grad() = gradient;
      guarded.step(0.01, take);
      without.mutable_grad() = gradient;
      plain.step(0.01);
    }
    EXPECT_TRUE(test::tensors_identical(with.detach(), without.detach())) << static_cast<int>(kind);
    EXPECT_FALSE(test::tensors_identical(with.detach(), start));
  }
}

}  // namespace
}  // namespace spikenm::train
