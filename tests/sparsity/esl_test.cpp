#include "spikenm/core/random.h"
#include "spikenm/sparsity/erk.h"
#include "support/expect_error.h"
#include "support/method_oracle.h"
#include "support/tiny_network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace spikenm::sparsity {
namespace {

using test::GradientsOf, test::kOracleRate, test::method_on, test::small_network,
    test::TrainedByMethod;

constexpr int64_t kSteps = 20;

// 1 at the n largest scores; the first of equals comes first. Weights that just grew are all 0, and
// which of equals topk takes is not defined.
Tensor top(const Tensor& scores, int64_t n) {
  const Tensor flat = scores.flatten();
  const Tensor order = at::argsort(flat, /*stable=*/true, /*dim=*/0, /*descending=*/true);
  return at::zeros_like(flat).index_fill_(0, order.narrow(0, 0, n), 1).view(scores.sizes());
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

// How many weights of each layer are kept of 30 % of all; erk_test.cpp works some out.
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

TEST(Esl, AStepThatOverflowedChangesNothing) {
  const auto network = small_network();
  const auto method = method_on(*network, "esl", "every = 1");
  const ClearMoments moments_stay = [](const Tensor&, const Tensor& keep) {
    EXPECT_TRUE(keep.eq(1).all().item<bool>());
  };
  const std::vector<uint8_t> before = test::hardened(*method);
  const std::vector<Tensor> weights = test::weights_of(*network);
  const auto step = [&](const Tensor& overflow) {
    test::search_step(*network, *method, {.step = 0, .steps = kSteps});
    method->credit(0)->gradient[0].fill_(NAN);
    StepInfo info{.step = 0, .steps = kSteps};
    info.scaling.overflow = overflow;
    method->after_backward(info);
    const bool is_taken = overflow.item<float>() == 0;
    method->after_step(info,
                       is_taken ? ClearMoments([](const Tensor&, const Tensor&) {}) : moments_stay);
  };
  step(at::ones({1}));
  EXPECT_EQ(test::hardened(*method), before);
  EXPECT_TRUE(at::equal(test::weights_of(*network)[1], weights[1]));
  EXPECT_EQ(method->take_statistics()["rewired_weights"], 0);
  step(at::zeros({1}));
  EXPECT_NE(test::hardened(*method), before);
  EXPECT_GT(method->take_statistics()["rewired_weights"], 0);
}

// One layer of four weights, of which two are kept, and one step of a long search, which drops and grows
// one of them. `gradient` says by place: kept and larger, kept and smaller, the two others.
struct Rewired {
  Tensor before, after, weight, cleared;
  std::vector<int64_t> place;

  explicit Rewired(const std::vector<float>& gradient) {
    test::TinyGraph graph(4);
    graph.flatten();
    graph.synapse("fc", at::full({1, 4, 1, 1}, 0.1F));
    const auto network = graph.make();
    const auto method = method_on(*network, "esl", "target_weight = 0.5\nevery = 1");
    const auto keep = [&] { return harden_all(*method).weights[0].keep.flatten(); };
    before = keep().clone();
    for (const int64_t kept : {1, 0})
      for (int64_t i = 0; i < 4; ++i)
        if (before[i].item<int64_t>() == kept) place.push_back(i);
    weight = network->synapses()[0].weight.detach().flatten();
    weight[place[0]] = -0.5F;
    weight[place[1]] = 0.2F;  // the smallest of those that are kept
    Tensor sees = at::zeros({4});
    for (size_t i = 0; i < 4; ++i) sees[place[i]] = gradient[i];
    method->credit(0)->gradient = sees.view({1, 4, 1, 1});
    method->begin_step({0, 1000});
    method->after_backward({0, 1000});
    method->after_step({0, 1000}, [&](const Tensor& parameter, const Tensor& untouched) {
      EXPECT_TRUE(parameter.is_same(network->synapses()[0].weight));
      cleared = untouched.flatten();
    });
    after = keep();
  }
};

TEST(Esl, ForgetsTheMomentsOfWhatItDropsAndOfWhatItGrows) {
  const Rewired found({9, 0, 1, -2});
  Tensor after = found.before.clone(), untouched = at::ones({4}), weight = at::full({4}, 0.1F);
  const auto dropped = found.place[1], grown = found.place[3];
  after[dropped] = untouched[dropped] = weight[dropped] = 0;
  after[grown] = 1;
  untouched[grown] = weight[grown] = 0;
  weight[found.place[0]] = -0.5F;
  EXPECT_TRUE(at::equal(found.after, after));
  EXPECT_TRUE(at::equal(found.cleared, untouched));
  EXPECT_TRUE(at::equal(found.weight, weight));
}

TEST(Esl, WhatGrowsAgainAtOnceStartsFromZeroWithoutMoments) {
  const Rewired found({9, 3, 1, -2});
  EXPECT_TRUE(at::equal(found.after, found.before));
  Tensor untouched = at::ones({4});
  untouched[found.place[1]] = 0;
  EXPECT_TRUE(at::equal(found.cleared, untouched));
  EXPECT_EQ(found.weight[found.place[1]].item<float>(), 0);
}

TEST(Esl, RefusesATargetThatEmptiesALayer) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "esl", "target_weight = 0.00001"), "target_weight", "1e-05",
               "4 layers");
}

}  // namespace
}  // namespace spikenm::sparsity
