#include "support/expect_error.h"
#include "support/method_oracle.h"
#include "support/tiny_network.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// By hand: m is 0 and beta 5, so sigmoid' is 1/4 and the penalty alone pulls by lambda c 5/4. A 4x6 map read
// with stride 2 has c = 24/4 connections a weight, the 2x3 map behind it with stride 1 has 6, and a row 1.
TEST(Upr, AStrideDividesTheConnectionsOfAWeight) {
  test::TinyGraph graph(/*channels=*/1, /*height=*/4, /*width=*/6);
  graph.synapse("conv1", at::ones({2, 1, 1, 1}), {.stride = 2});
  graph.neuron("neuron1");
  graph.synapse("conv2", at::ones({1, 2, 1, 1}), {.stride = 1});
  graph.neuron("neuron2");
  graph.synapse("conv3", at::ones({1, 1, 1, 1}), {.stride = 3});
  graph.neuron("neuron3");
  graph.flatten();
  graph.synapse("fc", at::ones({1, 1, 1, 1}));
  const auto network = graph.make();
  const auto method = method_on(*network, "upr", "lambda_weight = 0.01");
  method->begin_step({0, 10});
  method->after_backward({0, 10});  // of a loss that no weight changes
  const std::vector<double> c{24.0 / 4, 6, 6.0 / 9, 1};
  const std::vector<Tensor> m = method->param_groups()[0].tensors;
  ASSERT_EQ(m.size(), c.size());
  for (size_t i = 0; i < c.size(); ++i)
    EXPECT_TRUE(at::allclose(m[i].grad(), at::full_like(m[i], 0.01 * c[i] * 1.25), 1e-6)) << i;
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

// Weights that no gradient reaches have all the same m.
TEST(Upr, EndsAtTheTargetWhereAllMasksAreEqual) {
  const auto network = small_network();
  const auto method = method_on(*network, "upr", "target_weight = 0.5");
  method->begin_step({3, 4});
  method->after_backward({3, 4});
  method->after_step({3, 4}, [](const Tensor&, const Tensor&) {});
  const std::vector<uint8_t> keep = test::hardened(*method);
  EXPECT_EQ(std::count(keep.begin(), keep.end(), 1), std::lround(keep.size() / 2.0));
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
