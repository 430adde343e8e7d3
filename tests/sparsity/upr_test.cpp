#include "support/expect_error.h"
#include "support/method_oracle.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::sparsity {
namespace {

using test::GradientsOf, test::kOracleRate, test::method_on, test::small_network,
    test::TrainedByMethod;

constexpr int64_t kSteps = 20;

TEST(Upr, GivesTheWeightsAndMasksOfItsFormulasOverTwentySteps) {
  constexpr double kLambda = 1e-5;
  TrainedByMethod ours("upr", "lambda_weight = 1e-5");
  GradientsOf gradients_of;
  std::vector<Tensor> weight = gradients_of.first_weights(), m;
  std::vector<test::Adam> adam;
  for (const Tensor& w : weight) {
    m.push_back(at::zeros_like(w));
    adam.emplace_back(w);
  }
  // The three convolutions read maps of 8x8, 4x4 and 2x2, fc1 a row.
  const std::vector<double> c{64, 16, 4, 1};
  ASSERT_EQ(weight.size(), c.size());

  for (int64_t k = 0; k < kSteps; ++k) {
    const double beta = 5 * std::pow(200, static_cast<double>(k) / kSteps);
    std::vector<Tensor> gates, used;
    for (size_t i = 0; i < weight.size(); ++i) {
      gates.push_back((1 + (-beta * m[i]).exp()).reciprocal());
      used.push_back(gates[i] * weight[i]);
    }
    const std::vector<Tensor> gradients = gradients_of(used);
    for (size_t i = 0; i < weight.size(); ++i) {
      const Tensor of_gate = gradients[i] * weight[i] + kLambda * c[i];
      m[i] = m[i] - adam[i].step(of_gate * beta * gates[i] * (1 - gates[i]), k + 1);
      weight[i] = weight[i] - kOracleRate * gradients[i] * gates[i];
    }

    ours.step(k, kSteps);
    const std::vector<Tensor> found = ours.weights();
    const std::vector<Tensor> scalars = ours.method().param_groups()[0].tensors;
    for (size_t i = 0; i < weight.size(); ++i) {
      ASSERT_TRUE(at::allclose(found[i], weight[i], 0, 1e-5)) << k << " " << i;
      ASSERT_LT(scalars[i].detach().sub(m[i]).abs().mean().item<double>(), 1e-5) << k << " " << i;
    }
  }
  // Rounding decides only where m is all but 0, which is so for few.
  const Masks masks = ours.masks();
  for (size_t i = 0; i < m.size(); ++i) {
    const Tensor settled = m[i].abs() > 1e-4;
    EXPECT_GT(settled.to(at::kFloat).mean().item<double>(), 0.98) << i;
    EXPECT_FALSE(masks.weights[i].keep.ne(0).ne(m[i] > 0).logical_and(settled).any().item<bool>())
        << i;
  }
}

TEST(Upr, EndsAtTheTarget) {
  for (const double target : {0.5, 0.125, 0.9}) {
    TrainedByMethod ours("upr", "target_weight = " + std::to_string(target));
    for (int64_t k = 0; k < kSteps; ++k) ours.step(k, kSteps);
    double kept = 0, all = 0;
    for (const LayerMask& mask : ours.masks().weights) {
      kept += static_cast<double>(mask.mask.kept());
      all += static_cast<double>(mask.mask.keep.size());
    }
    EXPECT_NEAR(kept / all, target, 0.02 * target);
  }
}

TEST(Upr, AMaskThatStaysAtZeroIsPruned) {
  const auto network = small_network();
  for (const LayerMask& mask : harden_all(*method_on(*network, "upr", "")).weights)
    EXPECT_EQ(mask.mask.kept(), 0);
}

TEST(Upr, RefusesATargetThatEmptiesALayer) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "upr", "target_weight = 0.00001"), "target_weight", "1e-05",
               "4 layers");
}

TEST(Upr, ATargetLeavesLambdaWithoutEffect) {
  const auto network = small_network();
  const Config config = Config::from_text("target_weight = 0.5\nlambda_weight = 2", "test");
  (void)make_method("upr", *network, config, 0);
  EXPECT_ERROR(config.reject_unread(), "lambda_weight", "target_weight");
}

TEST(Upr, MayPruneNeuronsAlone) {
  const auto network = small_network();
  const auto method = method_on(*network, "upr", "granularity = \"neuron\"");
  EXPECT_TRUE(method->layers().empty());
  EXPECT_FALSE(method->neurons().empty());
  EXPECT_EQ(method->pattern_text(), "dense");
  EXPECT_ERROR(method_on(*network, "stds", "granularity = \"neuron\""), "granularity",
               "found neuron", "the method upr or dense");
}

}  // namespace
}  // namespace spikenm::sparsity
