#include "spikenm/ops/distill.h"

#include "spikenm/ops/nm_sample.h"
#include "support/nm_formula.h"
#include "support/normal_values.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::ops {
namespace {

using nm::CreditScale;

// Three blocks of four and a tail of two, with the formula of Eq. (20) and (21) beside the op.
class Distill : public testing::Test {
 protected:
  static constexpr int64_t kBlocks = 3, kM = 4, kWeights = 14;

  Distill() {
    distillation.scale = 0.5;
    rule.layout = nm::make_layout({1, kWeights, 1, 1}, {.n = 2, .m = kM}, nm::Axis::kFlat, "test");
    logits = at::tensor(test::normal_values<float>(kBlocks * kM, 1, 1))
                 .view({kBlocks, kM})
                 .set_requires_grad(true);
    weight = at::tensor(test::normal_values<float>(kWeights, 1, 2)).view({1, kWeights, 1, 1});
    credit = at::tensor(test::normal_values<float>(kWeights, 1, 3)).abs().view(weight.sizes());
  }

  DistillationSums run() {
    const int64_t n = rule.layout.n_blocks;
    distillation.sums = {.kl = running_sum(n, logits), .squared_norm = running_sum(n, logits)};
    const auto sink = std::make_shared<CreditSink>();
    sink->credit = credit;
    distillation.credit = distillation.target.is_uniform() ? nullptr : sink;
    distill(distillation, rule, logits, weight);
    return distillation.sums;
  }

  [[nodiscard]] std::vector<double> values(const at::Tensor& t, int64_t b) const {
    std::vector<double> list;
    for (int64_t s = 0; s < kM; ++s) list.push_back(t.flatten()[b * kM + s].item<double>());
    return list;
  }

  [[nodiscard]] std::vector<double> target(int64_t b) const {
    if (distillation.target.is_uniform()) return std::vector<double>(kM, 1.0 / kM);
    const double layer_mean = credit.mean().item<double>();
    return test::softmax(
        test::scaled_credits(values(credit, b), distillation.target.credit_scale, layer_mean),
        distillation.target.tau_q);
  }

  // `before` is what every element of the gradient held.
  void expect_gradient(double before = 0) const {
    for (int64_t b = 0; b < kBlocks; ++b) {
      const auto pi = test::softmax(values(logits.detach(), b), 1), q = target(b);
      const auto found = values(logits.grad(), b);
      for (size_t s = 0; s < kM; ++s)
        EXPECT_NEAR(found[s], before + distillation.scale * (pi[s] - q[s]), 1e-6) << b << " " << s;
    }
  }

  Distillation distillation;
  DrawRule rule;
  at::Tensor logits, weight, credit;
};

TEST_F(Distill, AddsItsScaleTimesPiMinusQ) {
  run();
  expect_gradient();
}

TEST_F(Distill, AddsToTheTasksGradient) {
  logits.mutable_grad() = at::full({kBlocks, kM}, 3.0f);
  run();
  expect_gradient(3);
}

TEST_F(Distill, EveryCreditScaleFollowsItsDefinition) {
  for (const CreditScale scale : {CreditScale::kRaw, CreditScale::kBlockMean,
                                  CreditScale::kLayerMean, CreditScale::kBlockZ}) {
    SCOPED_TRACE(static_cast<int>(scale));
    distillation.target.credit_scale = scale;
    logits.mutable_grad() = at::Tensor();
    run();
    expect_gradient();
  }
}

// [3,8,1,1] in two groups, of two channels and of one: four blocks of the sums over a group.
TEST_F(Distill, TheLayerMeanIsThatOfWhatSharingChannelsHoldTogether) {
  rule.layout = nm::make_layout({3, 8, 1, 1}, {.n = 2, .m = kM, .share = 2}, nm::Axis::kIn, "test");
  logits = at::tensor(test::normal_values<float>(4 * kM, 1, 1)).view({4, kM});
  logits.set_requires_grad(true);
  weight = at::tensor(test::normal_values<float>(24, 1, 2)).view({3, 8, 1, 1});
  credit = at::tensor(test::normal_values<float>(24, 1, 3)).abs().view(weight.sizes());
  distillation.target.credit_scale = CreditScale::kLayerMean;
  run();
  const at::Tensor rows = credit.view({3, 8});
  const at::Tensor held = at::stack({rows[0] + rows[1], rows[2]}).view({4, kM});
  const double layer_mean = held.mean().item<double>();
  for (int64_t b = 0; b < 4; ++b) {
    const auto pi = test::softmax(values(logits.detach(), b), 1);
    const auto q =
        test::softmax(test::scaled_credits(values(held, b), CreditScale::kLayerMean, layer_mean),
                      distillation.target.tau_q);
    const auto found = values(logits.grad(), b);
    for (size_t s = 0; s < kM; ++s)
      EXPECT_NEAR(found[s], distillation.scale * (pi[s] - q[s]), 1e-6) << b << " " << s;
  }
}

// [3,4,1,2]: both taps of two channels, and of one, are one block each.
TEST_F(Distill, TheLayerMeanIsThatOfWhatSharingTapsHoldTogether) {
  rule.layout =
      nm::make_layout({3, 4, 1, 2}, {.n = 2, .m = kM, .share = 2}, nm::Axis::kIn, "test", true);
  logits = at::tensor(test::normal_values<float>(2 * kM, 1, 1)).view({2, kM});
  logits.set_requires_grad(true);
  weight = at::tensor(test::normal_values<float>(24, 1, 2)).view({3, 4, 1, 2});
  credit = at::tensor(test::normal_values<float>(24, 1, 3)).abs().view(weight.sizes());
  distillation.target.credit_scale = CreditScale::kLayerMean;
  run();
  const at::Tensor rows = credit.view({3, 4, 2}).sum(2);
  const at::Tensor held = at::stack({rows[0] + rows[1], rows[2]});
  const double layer_mean = held.mean().item<double>();
  for (int64_t b = 0; b < 2; ++b) {
    const auto pi = test::softmax(values(logits.detach(), b), 1);
    const auto q =
        test::softmax(test::scaled_credits(values(held, b), CreditScale::kLayerMean, layer_mean),
                      distillation.target.tau_q);
    const auto found = values(logits.grad(), b);
    for (size_t s = 0; s < kM; ++s)
      EXPECT_NEAR(found[s], distillation.scale * (pi[s] - q[s]), 1e-6) << b << " " << s;
  }
}

TEST_F(Distill, TheLayerMeanMakesCreditsFreeOfTheLossScale) {
  distillation.target.credit_scale = CreditScale::kLayerMean;
  run();
  const at::Tensor before = logits.grad().clone();
  logits.mutable_grad() = at::Tensor();
  credit = credit * 1000;
  run();
  EXPECT_LT((logits.grad() - before).abs().max().item<double>(), 1e-5);
}

TEST_F(Distill, TauQSharpensTheTarget) {
  distillation.target.tau_q = 0.1;
  run();
  expect_gradient();
}

TEST_F(Distill, ACreditTimesItsWeightFollowsEveryScale) {
  const at::Tensor given = credit;
  for (const CreditScale scale : {CreditScale::kBlockMean, CreditScale::kLayerMean}) {
    SCOPED_TRACE(static_cast<int>(scale));
    distillation.target.credit_scale = scale;
    distillation.target.kind = TargetKind::kCreditWeight;
    logits.mutable_grad() = at::Tensor();
    credit = given;
    run();
    credit = given * weight.abs();  // what the target is made of
    expect_gradient();
  }
}

TEST_F(Distill, TheProbabilitiesKnowThePriorOrNot) {
  rule.kappa = 1;
  run();
  const at::Tensor with_prior = logits.grad().clone();
  logits.mutable_grad() = at::Tensor();
  distillation.pi_has_prior = false;
  run();
  expect_gradient();  // the formula has no prior
  EXPECT_GT((logits.grad() - with_prior).abs().max().item<double>(), 0.01);
}

TEST_F(Distill, TheUniformTargetNeedsNoCredit) {
  distillation.target.kind = TargetKind::kUniform;
  distillation.target.credit_scale = CreditScale::kLayerMean;
  credit = at::Tensor();
  run();
  expect_gradient();
}

TEST_F(Distill, ABlockWithoutCreditPullsTowardsUniform) {
  credit = at::zeros_like(weight);
  run();
  distillation.target.kind = TargetKind::kUniform;
  expect_gradient();
}

TEST_F(Distill, TellsTheDivergenceAndTheNormOfWhatItAdded) {
  const DistillationSums result = run();
  double kl = 0;
  for (int64_t b = 0; b < kBlocks; ++b) {
    const auto pi = test::softmax(values(logits.detach(), b), 1), q = target(b);
    for (size_t s = 0; s < kM; ++s) kl += q[s] * std::log(q[s] / pi[s]);
  }
  EXPECT_NEAR(result.kl.item<double>(), kl, 1e-6);
  EXPECT_NEAR(result.squared_norm.item<double>(), logits.grad().square().sum().item<double>(),
              1e-7);
  EXPECT_GT(result.squared_norm.item<double>(), 0);
}

TEST_F(Distill, GradientStepsReachTheTarget) {
  distillation.scale = 1;
  for (int step = 0; step < 300; ++step) {
    logits.mutable_grad() = at::Tensor();
    run();
    const at::NoGradGuard no_grad;
    logits.sub_(logits.grad());
  }
  EXPECT_NEAR(run().kl.item<double>(), 0, 1e-5);
}

TEST_F(Distill, OnTheCpuNoBackwardDistils) {
  EXPECT_FALSE(distills_in_backward(distillation.target, logits));
}

}  // namespace
}  // namespace spikenm::ops
