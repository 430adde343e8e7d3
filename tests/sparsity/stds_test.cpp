#include "support/expect_error.h"
#include "support/method_oracle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace spikenm::sparsity {
namespace {

using test::GradientsOf, test::kOracleRate, test::method_on, test::small_network,
    test::TrainedByMethod;

constexpr int64_t kSteps = 20;

Tensor shrunk(const Tensor& theta, double d) {
  return theta.sign() * (theta.abs() - static_cast<float>(d)).relu();
}

TEST(Stds, GivesTheWeightsAndMasksOfItsFormulasOverTwentySteps) {
  for (const std::string growth : {"sine", "linear"}) {
    TrainedByMethod ours("stds", "threshold = 0.1\ngrowth = \"" + growth + "\"");
    GradientsOf gradients_of;
    std::vector<Tensor> theta = gradients_of.first_weights();
    double d = 0;
    for (int64_t k = 0; k < kSteps; ++k) {
      std::vector<Tensor> used;
      for (const Tensor& t : theta) used.push_back(shrunk(t, d));
      const std::vector<Tensor> gradients = gradients_of(used);
      for (size_t i = 0; i < theta.size(); ++i) theta[i] -= kOracleRate * gradients[i];
      const double p = static_cast<double>(k + 1) / kSteps;
      d = 0.1 * (growth == "sine" ? (1 + std::sin(std::numbers::pi * (p - 0.5))) / 2 : p);

      ours.step(k, kSteps);
      const Masks masks = ours.masks();
      const std::vector<Tensor> found = ours.weights();
      for (size_t i = 0; i < theta.size(); ++i) {
        ASSERT_TRUE(at::allclose(found[i], theta[i], 0, 1e-7)) << growth << k;
        ASSERT_TRUE(at::equal(masks.weights[i].keep.ne(0), found[i].abs() > static_cast<float>(d)));
        ASSERT_TRUE(at::equal(masks.weights[i].used, shrunk(found[i], d)));
      }
    }
    // Something was dropped and something kept, or the test would say little.
    const double kept = ours.masks().weights[1].keep.mean().item<double>();
    EXPECT_GT(kept, 0.05);
    EXPECT_LT(kept, 0.95);
  }
}

TEST(Stds, AWeightOfExactlyZeroGetsNoGradient) {
  const auto network = small_network();
  const auto method = method_on(*network, "stds", "");
  const at::Tensor weight =
      at::tensor({0.F, 0.5F, -0.5F, 0.001F}).view({1, 4, 1, 1}).set_requires_grad(true);
  method->effective_weight(0, weight).sum().backward();
  EXPECT_TRUE(at::equal(weight.grad().flatten(), at::tensor({0.F, 1.F, 1.F, 1.F})));
}

TEST(Stds, FindsTheThresholdThatLeavesTheTarget) {
  for (const double target : {0.5, 0.125, 0.02}) {
    TrainedByMethod ours("stds", "target_weight = " + std::to_string(target));
    for (int64_t k = 0; k < kSteps; ++k) ours.step(k, kSteps);
    double kept = 0, all = 0;
    for (const LayerMask& m : ours.masks().weights) {
      kept += static_cast<double>(m.mask.kept());
      all += static_cast<double>(m.mask.keep.size());
    }
    EXPECT_NEAR(kept / all, target, 0.02 * target);
    EXPECT_GT(ours.method().outcome().at("threshold").get<double>(), 0);
  }
}

TEST(Stds, RefusesATargetThatEmptiesALayer) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "stds", "target_weight = 0.00001"), "target_weight", "1e-05",
               "4 layers");
}

TEST(Stds, ATargetLeavesTheThresholdWithoutEffect) {
  const auto network = small_network();
  const Config config = Config::from_text("target_weight = 0.5\nthreshold = 2", "test");
  (void)make_method("stds", *network, config, 0);
  EXPECT_ERROR(config.reject_unread(), "threshold", "target_weight");
}

}  // namespace
}  // namespace spikenm::sparsity
