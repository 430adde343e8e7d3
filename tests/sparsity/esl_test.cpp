#include "spikenm/core/random.h"
#include "spikenm/sparsity/erk.h"
#include "support/expect_error.h"
#include "support/method_oracle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace spikenm::sparsity {
namespace {

using test::GradientsOf, test::kOracleRate, test::method_on, test::small_network,
    test::TrainedByMethod;

constexpr int64_t kSteps = 20;

// 1 at the n largest scores.
Tensor top(const Tensor& scores, int64_t n) {
  const Tensor flat = scores.flatten();
  return at::zeros_like(flat).index_fill_(0, std::get<1>(flat.topk(n)), 1).view(scores.sizes());
}

// The numbers of a step, in the weight's shape.
Tensor random_of(const Tensor& weight, size_t layer, int64_t step) {
  const RandomAddress random(
      /*seed=*/0, random_stream(RandomUse::kRandomMask, static_cast<uint32_t>(layer)),
      static_cast<uint32_t>(step));
  std::vector<float> numbers(static_cast<size_t>(weight.numel()));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(random.uniform(i));
  return at::tensor(numbers).view(weight.sizes());
}

// How many weights of each layer are kept of 30 % of all; SmallLayersAreDenser works some out.
std::vector<int64_t> counts_of(const std::vector<Tensor>& weights) {
  std::vector<nm::WeightShape> shapes;
  for (const Tensor& w : weights) shapes.push_back({w.size(0), w.size(1), w.size(2), w.size(3)});
  return erk_counts(shapes, 0.3);
}

void expect_formulas(const std::string& grow) {
  TrainedByMethod ours("esl", "target_weight = 0.3\nevery = 3\ngrow = \"" + grow + "\"");
  GradientsOf gradients_of;
  std::vector<Tensor> weight = gradients_of.first_weights(), keep;
  const std::vector<int64_t> counts = counts_of(weight);
  for (size_t i = 0; i < weight.size(); ++i)
    keep.push_back(top(random_of(weight[i], i, 0), counts[i]));

  for (int64_t k = 0; k < kSteps; ++k) {
    std::vector<Tensor> used;
    for (size_t i = 0; i < weight.size(); ++i) used.push_back(weight[i] * keep[i]);
    const std::vector<Tensor> gradients = gradients_of(used);
    for (size_t i = 0; i < weight.size(); ++i) {
      weight[i] = weight[i] - kOracleRate * gradients[i] * keep[i];
      if ((k + 1) % 3 != 0) continue;
      const double p = static_cast<double>(k + 1) / kSteps;
      const double share = 0.005 + 0.495 / 2 * (1 + std::cos(std::numbers::pi * p));
      const auto n = static_cast<int64_t>(std::ceil(share * keep[i].sum().item<double>()));
      const Tensor dropped = top(-weight[i].abs() - 1e9 * (1 - keep[i]), n);
      keep[i] = keep[i] - dropped;
      const Tensor scores = grow == "rigl" ? gradients[i].abs() : random_of(weight[i], i, k + 1);
      const Tensor grown = top(scores - 1e9 * keep[i], n);
      keep[i] = keep[i] + grown;
      weight[i] = weight[i] * (1 - dropped) * (1 - grown);
    }

    ours.step(k, kSteps);
    const Masks masks = ours.masks();
    const std::vector<Tensor> found = ours.weights();
    for (size_t i = 0; i < weight.size(); ++i) {
      ASSERT_TRUE(at::equal(masks.weights[i].keep, keep[i])) << k << " " << i;
      ASSERT_TRUE(at::allclose(found[i], weight[i], 0, 1e-7)) << k << " " << i;
    }
  }
}

TEST(Esl, GivesTheWeightsAndMasksOfItsFormulasOverTwentySteps) {
  expect_formulas("rigl");
  expect_formulas("set");
}

TEST(Esl, KeepsTheSameNumberOfWeightsInEveryLayer) {
  for (const std::string grow : {"rigl", "set"}) {
    TrainedByMethod ours("esl", "target_weight = 0.125\nevery = 1\ngrow = \"" + grow + "\"");
    std::vector<int64_t> counts;
    int64_t all = 0;
    for (const LayerMask& m : ours.masks().weights) {
      counts.push_back(m.mask.kept());
      all += m.keep.numel();
    }
    const std::vector<uint8_t> before = test::hardened(ours.method());
    EXPECT_NEAR(std::accumulate(counts.begin(), counts.end(), 0.0), 0.125 * all, 0.5);
    for (int64_t k = 0; k < 5; ++k) ours.step(k, kSteps);
    const Masks after = ours.masks();
    for (size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(after.weights[i].mask.kept(), counts[i]);
    EXPECT_NE(test::hardened(ours.method()), before);
  }
}

TEST(Esl, SmallLayersAreDenserThanLargeOnes) {
  // (4+2+3+3) / 72 and (8+4+3+3) / 288 are 1/6 and 1/16. Of 360 weights, 120 are kept at a scale of
  // 4 (4/6 of 72, 4/16 of 288), 180 at 6, where the first layer is whole.
  const std::vector<nm::WeightShape> shapes{{4, 2, 3, 3}, {8, 4, 3, 3}};
  EXPECT_EQ(erk_counts(shapes, 1.0 / 3), (std::vector<int64_t>{48, 72}));
  EXPECT_EQ(erk_counts(shapes, 0.5), (std::vector<int64_t>{72, 108}));
  EXPECT_EQ(erk_counts(shapes, 1), (std::vector<int64_t>{72, 288}));
}

TEST(Esl, RefusesATargetThatEmptiesALayer) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "esl", "target_weight = 0.00001"), "target_weight", "1e-05",
               "4 layers");
}

}  // namespace
}  // namespace spikenm::sparsity
