#include "support/expect_error.h"
#include "support/method_oracle.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::sparsity {
namespace {

using test::GradientsOf, test::kOracleRate, test::method_on, test::small_network,
    test::TrainedByMethod;

constexpr int64_t kSteps = 20;

TEST(GradR, GivesTheWeightsOfItsFormulasOverTwentySteps) {
  constexpr double kAlpha = 0.01, kSparsity = 0.6;
  TrainedByMethod ours("grad-r", "alpha = 0.01\nsparsity = 0.6");
  GradientsOf gradients_of;
  const std::vector<Tensor> first = gradients_of.first_weights();
  std::vector<Tensor> sign, theta;
  for (const Tensor& w : first) {
    sign.push_back(w.lt(0).to(at::kFloat) * -2 + 1);
    theta.push_back(w.abs());
  }
  const double mu = std::log(2 * (1 - kSparsity)) / kAlpha;

  for (int64_t k = 0; k < kSteps; ++k) {
    std::vector<Tensor> used;
    for (size_t i = 0; i < theta.size(); ++i) used.push_back(sign[i] * theta[i].relu());
    const std::vector<Tensor> gradients = gradients_of(used);
    const double rate = kOracleRate / (1 - std::pow(0.9, k + 1));
    for (size_t i = 0; i < theta.size(); ++i)
      theta[i] =
          theta[i] - kAlpha * rate * (theta[i] - mu).sign() - kOracleRate * gradients[i] * sign[i];

    ours.step(k, kSteps);
    const std::vector<Tensor> found = ours.weights();
    for (size_t i = 0; i < theta.size(); ++i)
      ASSERT_TRUE(at::allclose(found[i], sign[i] * theta[i], 0, 1e-6)) << k << " " << i;
  }

  // Masks: the weights with the largest theta, as many as the target leaves.
  const Masks masks = ours.masks();
  std::vector<Tensor> flat;
  for (const Tensor& t : theta) flat.push_back(t.flatten());
  const Tensor all = at::cat(flat);
  const auto kept = std::lround((1 - kSparsity) * static_cast<double>(all.numel()));
  const double bound = std::get<0>(all.sort(0, /*descending=*/true))[kept].item<double>();
  int64_t differing = 0;
  for (size_t i = 0; i < theta.size(); ++i)
    differing += masks.weights[i].keep.ne(0).ne(theta[i] > bound).sum().item<int64_t>();
  EXPECT_LE(differing, 2);  // rounding at the bound
}

// The same with Adam, as the source trains: w by Adam, and the pull at its corrected rate. Where a
// gradient is all but 0, rounding decides Adam's step: the mean may be a tenth of a step off.
TEST(GradR, GivesTheWeightsOfItsFormulasUnderAdam) {
  constexpr double kAlpha = 0.5, kSparsity = 0.6;
  TrainedByMethod ours("grad-r", "alpha = 0.5\nsparsity = 0.6", test::OracleDescent::kAdam);
  GradientsOf gradients_of;
  std::vector<Tensor> sign, theta;
  std::vector<test::Adam> adam;
  for (const Tensor& w : gradients_of.first_weights()) {
    sign.push_back(w.lt(0).to(at::kFloat) * -2 + 1);
    theta.push_back(w.abs());
    adam.emplace_back(w);
  }
  const double mu = std::log(2 * (1 - kSparsity)) / kAlpha;

  for (int64_t k = 0; k < kSteps; ++k) {
    std::vector<Tensor> used;
    for (size_t i = 0; i < theta.size(); ++i) used.push_back(sign[i] * theta[i].relu());
    const std::vector<Tensor> gradients = gradients_of(used);
    const double rate = test::kAdamRate / (1 - std::pow(0.9, k + 1));
    for (size_t i = 0; i < theta.size(); ++i)
      theta[i] = theta[i] - kAlpha * rate * (theta[i] - mu).sign() -
                 adam[i].step(gradients[i], k + 1) * sign[i];

    ours.step(k, kSteps);
    const std::vector<Tensor> found = ours.weights();
    for (size_t i = 0; i < theta.size(); ++i)
      ASSERT_LT(found[i].sub(sign[i] * theta[i]).abs().mean().item<double>(), 0.1 * test::kAdamRate)
          << k << " " << i;
  }
}

// After steps too, where the pull is too weak to get there by itself, and where it is far too strong.
TEST(GradR, EndsAtTheTarget) {
  for (const auto& [alpha, sparsity] : {std::pair{0.01, 0.5}, std::pair{0.01, 0.875},
                                        std::pair{0.01, 0.98}, std::pair{10.0, 0.875}}) {
    TrainedByMethod ours("grad-r", fmt::format("alpha = {}\nsparsity = {}", alpha, sparsity),
                         test::OracleDescent::kAdam);
    for (int64_t k = 0; k < kSteps; ++k) ours.step(k, kSteps);
    const std::vector<uint8_t> keep = test::hardened(ours.method());
    const double kept = static_cast<double>(std::count(keep.begin(), keep.end(), 1));
    EXPECT_NEAR(kept / static_cast<double>(keep.size()), 1 - sparsity, 0.02 * (1 - sparsity));
  }
}

// A pull far too strong leaves fewer active than the target: these are kept, and others at 0 beside them, so that
// prune changes nothing of what the network does.
TEST(GradR, FillsUpWithZerosWhereThePullWasTooStrong) {
  TrainedByMethod ours("grad-r", "alpha = 6\nsparsity = 0.875", test::OracleDescent::kAdam);
  for (int64_t k = 0; k < kSteps; ++k) ours.step(k, kSteps);
  const double active = ours.method().take_statistics().at("active");
  ASSERT_GT(active, 0);
  ASSERT_LT(active, 0.11);
  EXPECT_NEAR(ours.method().outcome().at("active_pct").get<double>(), 100 * active, 1e-9);

  const std::vector<Tensor> weights = ours.weights();
  double kept = 0, all = 0, used = 0;
  const Masks masks = ours.masks();
  for (size_t i = 0; i < masks.weights.size(); ++i) {
    const LayerMask& mask = masks.weights[i];
    kept += static_cast<double>(mask.mask.kept());
    all += static_cast<double>(mask.keep.numel());
    ASSERT_TRUE(mask.used.defined());
    used += mask.used.ne(0).sum().item<double>();
    EXPECT_EQ((mask.used * (1 - mask.keep)).abs().max().item<float>(), 0);
    EXPECT_TRUE(at::equal(mask.used, ours.method().effective_weight(i, weights[i])));
  }
  EXPECT_NEAR(kept / all, 0.125, 0.02 * 0.125);
  EXPECT_NEAR(used / all, active, 1e-9);
}

// Such a step is found bad after the pull was worked out (train/step_watch.h).
TEST(GradR, AStepThatIsSkippedMovesNoWeight) {
  for (const bool is_skipped : {true, false}) {
    const auto network = small_network();
    const auto method = method_on(*network, "grad-r", "alpha = 0.5");
    const std::vector<Tensor> before = test::weights_of(*network);
    const Tensor overflow = at::zeros({1});
    StepInfo info{.lr = 0.1};
    info.scaling.overflow = overflow;
    test::search_step(*network, *method, info);
    if (is_skipped) overflow.fill_(1);
    method->after_step({.lr = 0.1}, [](const Tensor&, const Tensor&) {});
    const std::vector<Tensor> after = test::weights_of(*network);
    for (size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(at::equal(before[i], after[i]), is_skipped) << i;
  }
}

TEST(GradR, GradientsReachInactiveWeightsAndBringThemBack) {
  const auto network = small_network();
  const auto method = method_on(*network, "grad-r", "");
  method->begin_step({});
  const at::Tensor weight = network->synapses()[0].weight;
  const at::Tensor first = weight.detach().clone();
  {
    const at::NoGradGuard no_grad;
    weight.copy_(-first);  // every theta is below 0
  }
  const at::Tensor used = method->effective_weight(0, weight);
  EXPECT_EQ(used.abs().max().item<float>(), 0);
  used.sum().backward();
  EXPECT_TRUE(at::equal(weight.grad(), at::ones_like(weight)));
  {
    const at::NoGradGuard no_grad;
    weight.copy_(first);
  }
  EXPECT_TRUE(at::equal(method->effective_weight(0, weight).detach(), first));
}

TEST(GradR, KeepsAtMostTheTarget) {
  const auto network = small_network();
  for (const double sparsity : {0.5, 0.875, 0.98}) {
    const auto method = method_on(*network, "grad-r", "sparsity = " + std::to_string(sparsity));
    const std::vector<uint8_t> keep = test::hardened(*method);
    const double kept = static_cast<double>(std::count(keep.begin(), keep.end(), 1));
    EXPECT_NEAR(kept / static_cast<double>(keep.size()), 1 - sparsity, 0.02 * (1 - sparsity));
  }
}

TEST(GradR, RefusesASparsityThatEmptiesALayer) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "grad-r", "sparsity = 0.999999"), "sparsity", "0.999999",
               "4 layers", "at most 0.99");
}

TEST(GradR, RefusesASparsityBelowOneHalf) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "grad-r", "sparsity = 0.4"), "sparsity", "0.4", "0.5");
}

}  // namespace
}  // namespace spikenm::sparsity
