// The paper's method through its public face; options are tested in spikenm_options_test.
#include "support/nm_formula.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace spikenm::sparsity {
namespace {

using test::hardened, test::kept_in_block, test::method_on, test::search_step, test::small_network;
using Keep = std::vector<uint8_t>;

const std::string kPaper = "preset = \"paper\"\n";

// Blocks of all layers by how many weights they keep.
std::set<int> block_counts(const Pruning& method) {
  std::set<int> counts;
  for (const MaskableLayer& layer : method.layers()) {
    const nm::Mask mask = method.harden(layer.id);
    for (int64_t b = 0; b < mask.layout.n_blocks; ++b) counts.insert(kept_in_block(mask, b));
  }
  return counts;
}

Tensor logits_of(Pruning& method, size_t layer) {
  return method.param_groups()[0].tensors[layer];
}

// The mask that training uses in this step, of conv3.
Tensor drawn(nn::Network& network, Pruning& method, const StepInfo& info) {
  method.begin_step(info);
  const Tensor& weight = network.synapses()[2].weight;
  return method.effective_weight(2, at::ones_like(weight)).detach();
}

TEST(Spikenm, TheSameSeedDrawsTheSameMaskAndAnotherSeedAnother) {
  const auto masks = [](uint64_t seed) {
    const auto network = small_network();
    const auto method = method_on(*network, "spikenm", kPaper, seed);
    std::vector<Keep> list;
    for (int64_t step = 0; step < 3; ++step) {
      method->begin_step({step, 10});
      list.push_back(hardened(*method));
    }
    return list;
  };
  EXPECT_EQ(masks(1), masks(1));
  EXPECT_NE(masks(1), masks(2));
}

TEST(Spikenm, AMaskIsThereBeforeTheFirstStep) {
  const auto network = small_network();
  const auto method = method_on(*network, "spikenm", kPaper);
  const Keep before = hardened(*method);
  method->begin_step({0, 10});
  EXPECT_EQ(hardened(*method), before);
}

TEST(Spikenm, TheMaskIsHeldForRedrawEverySteps) {
  const auto network = small_network();
  for (const int64_t k : {1, 3}) {
    const auto method =
        method_on(*network, "spikenm", kPaper + "redraw_every = " + std::to_string(k));
    std::vector<Tensor> masks;
    for (int64_t step = 0; step < 9; ++step) masks.push_back(drawn(*network, *method, {step, 9}));
    for (size_t i = 1; i < masks.size(); ++i)
      EXPECT_EQ(at::equal(masks[i], masks[i - 1]), static_cast<int64_t>(i) % k != 0) << k << i;
  }
}

TEST(Spikenm, AShareOfTheSearchRedrawsAsItsNumberOfStepsDoes) {
  const auto network = small_network();
  const auto by_steps = method_on(*network, "spikenm", kPaper + "redraw_every = 3"),
             by_share = method_on(*network, "spikenm", kPaper + "redraw_every = \"33%\"");
  for (int64_t step = 0; step < 9; ++step)
    EXPECT_TRUE(
        at::equal(drawn(*network, *by_steps, {step, 9}), drawn(*network, *by_share, {step, 9})))
        << step;
}

TEST(Spikenm, AtMostKeepsOneToNAndExactlyKeepsN) {
  const auto network = small_network();
  EXPECT_EQ(block_counts(*method_on(*network, "spikenm", kPaper + "pattern = \"3:8\"")),
            (std::set<int>{1, 2, 3}));
  EXPECT_EQ(block_counts(
                *method_on(*network, "spikenm", kPaper + "pattern = \"3:8\"\ndraws = \"exactly\"")),
            (std::set<int>{3}));
}

TEST(Spikenm, FlatLogitsKeepTheDensityOfDrawsWithReplacement) {
  const auto network = small_network(32);  // conv3 has 36,864 weights
  const auto method = method_on(*network, "spikenm", kPaper + "layers = [\"conv3\"]");
  const nm::Mask mask = method->harden(0);
  // 1 - (1 - 1/4)^2; a block keeps 2 with probability 3/4, so the error is 0.11 % of the weights.
  EXPECT_NEAR(100.0 * static_cast<double>(mask.kept()) / static_cast<double>(mask.layout.numel),
              43.75, 0.5);
}

TEST(Spikenm, DrawsFallFromDrawsStartToN) {
  const auto network = small_network();
  const auto method =
      method_on(*network, "spikenm", kPaper + "draws = \"exactly\"\ndraws_start = 4");
  const auto density = [&](int64_t step) {
    return drawn(*network, *method, {step, 100}).mean().item<double>();
  };
  EXPECT_DOUBLE_EQ(density(0), 1.0);                   // 4 of 4
  EXPECT_EQ(block_counts(*method), std::set<int>{2});  // what prune would freeze is 2:4 already
  EXPECT_DOUBLE_EQ(density(25), 0.75);                 // 2 + 2 * 27/64 = 2.8
  EXPECT_DOUBLE_EQ(density(99), 0.5);
}

TEST(Spikenm, DrawsStartIsCappedByTheBlock) {
  const auto network = small_network();
  const auto method = method_on(
      *network, "spikenm", kPaper + "draws = \"exactly\"\ndraws_start = 16\npattern = \"1:2\"");
  EXPECT_DOUBLE_EQ(drawn(*network, *method, {0, 10}).mean().item<double>(), 1.0);
}

TEST(Spikenm, FreezeLastKeepsTheLastDraw) {
  const auto network = small_network();
  const auto method = method_on(*network, "spikenm", kPaper + "freeze = \"last\"");
  const Tensor mask = drawn(*network, *method, {5, 10});
  EXPECT_TRUE(at::equal(harden_all(*method).weights[2].keep, mask));
}

TEST(Spikenm, FreezeTopNKeepsTheLargestLogitsWhateverWasDrawn) {
  const auto network = small_network();
  const auto method = method_on(*network, "spikenm", kPaper + "freeze = \"top-n\"");
  {
    const at::NoGradGuard no_grad;
    Tensor logits = logits_of(*method, 2);
    logits.copy_(at::tensor(std::vector<float>{0, 3, 1, 2}).expand_as(logits));
  }
  const Keep first = hardened(*method);
  method->begin_step({1, 10});
  EXPECT_EQ(hardened(*method), first);
  const nm::Mask mask = method->harden(2);
  for (size_t i = 0; i < mask.keep.size(); ++i) ASSERT_EQ(mask.keep[i], i % 2 == 1 ? 1 : 0);
}

TEST(Spikenm, FreezeResampleDrawsOnceMoreAndThenStays) {
  const auto network = small_network();
  const auto method = method_on(*network, "spikenm", kPaper + "freeze = \"resample\"");
  const Tensor trained_under = drawn(*network, *method, {5, 10});
  const Keep frozen = hardened(*method);
  EXPECT_FALSE(at::equal(harden_all(*method).weights[2].keep, trained_under));
  EXPECT_EQ(hardened(*method), frozen);
  EXPECT_LE(*block_counts(*method).rbegin(), 2);
}

TEST(Spikenm, FreezeDrawChoosesAmongTheMasksOfTheSameLogits) {
  std::set<Keep> masks;
  std::vector<Tensor> logits;
  for (const int draw : {0, 1, 2, 3, 4, 1'000'000}) {
    const auto network = small_network();
    const auto method =
        method_on(*network, "spikenm",
                  kPaper + "freeze = \"resample\"\nfreeze_draw = " + std::to_string(draw));
    method->begin_step({9, 10});
    logits.push_back(logits_of(*method, 2));
    const Keep mask = hardened(*method);
    EXPECT_EQ(hardened(*method), mask) << draw;  // chosen once
    masks.insert(mask);
  }
  EXPECT_EQ(masks.size(), 6u);
  for (const Tensor& other : logits) EXPECT_TRUE(at::equal(other, logits[0]));
}

TEST(Spikenm, OneOfMAndBlocksOf64KeepTheirCounts) {
  const auto network = small_network(32);  // conv3 is [64,64,3,3]
  const auto counts = [&](const std::string& pattern, const std::string& draws) {
    return block_counts(*method_on(
        *network, "spikenm",
        kPaper + "layers = [\"conv3\"]\npattern = \"" + pattern + "\"\ndraws = \"" + draws + "\""));
  };
  for (const char* pattern : {"1:2", "1:8", "1:64"}) {
    EXPECT_EQ(counts(pattern, "at-most"), std::set<int>{1}) << pattern;
    EXPECT_EQ(counts(pattern, "exactly"), std::set<int>{1}) << pattern;
  }
  EXPECT_EQ(counts("16:64", "exactly"), std::set<int>{16});
  EXPECT_LE(*counts("16:64", "at-most").rbegin(), 16);
  EXPECT_LT(*counts("16:64", "at-most").begin(), 16);
}

TEST(Spikenm, TheNoiseCoolsFromFirstToLastStep) {
  const auto network = small_network();
  const auto cooled = method_on(*network, "spikenm", kPaper + "noise = [1, 1e-6]"),
             loud = method_on(*network, "spikenm", kPaper + "noise = 1"),
             silent = method_on(*network, "spikenm", kPaper + "noise = 0");
  EXPECT_TRUE(at::equal(drawn(*network, *cooled, {0, 10}), drawn(*network, *loud, {0, 10})));
  // Far into a long search the noise is 1e-6, smaller than any two logits' difference here.
  EXPECT_TRUE(at::equal(drawn(*network, *cooled, {999'999, 1'000'000}),
                        drawn(*network, *silent, {999'999, 1'000'000})));
  EXPECT_FALSE(at::equal(drawn(*network, *loud, {999'999, 1'000'000}),
                         drawn(*network, *silent, {999'999, 1'000'000})));
}

TEST(Spikenm, NetCreditsAreTheSizeOfTheWholeGradientAndTemporalOnesAreNoSmaller) {
  const auto network = small_network();
  const auto credit = [&](const std::string& kind) {
    const auto method = method_on(*network, "spikenm",
                                  kPaper + "weight_grad = \"dense\"\ncredit = \"" + kind + "\"");
    search_step(*network, *method);
    return method->credit(2)->credit;
  };
  const Tensor net = credit("net");
  EXPECT_TRUE(at::equal(net, network->synapses()[2].weight.grad().abs()));
  const Tensor temporal = credit("temporal");
  EXPECT_TRUE((temporal - net).gt(-1e-6).all().item<bool>());
  EXPECT_GT((temporal - net).max().item<float>(), 1e-4);
}

TEST(Spikenm, WithoutNoiseTheDrawIsTheArgmax) {
  const auto network = small_network();
  const auto method = method_on(*network, "spikenm", kPaper + "noise = 0");
  method->begin_step({3, 10});
  EXPECT_EQ(block_counts(*method), std::set<int>{1});  // both draws hit the largest
  const Tensor best = logits_of(*method, 2).argmax(1);
  const nm::Mask mask = method->harden(2);
  for (int64_t b = 0; b < mask.layout.n_blocks; ++b)
    ASSERT_EQ(mask.keep[static_cast<size_t>(4 * b + best[b].item<int64_t>())], 1) << b;
}

TEST(Spikenm, AStrongPriorFollowsTheWeights) {
  const auto network = small_network();
  const auto method =
      method_on(*network, "spikenm", kPaper + "prior_kappa = 1000000\ndraws = \"exactly\"");
  const auto magnitude = method_on(*network, "magnitude", "axis = \"flat\"");
  method->begin_step({3, 10});
  EXPECT_EQ(hardened(*method), hardened(*magnitude));
}

TEST(Spikenm, TheTaskAndTheDistillationBothReachTheLogits) {
  const auto gradients = [](const std::string& toml) {
    const auto network = small_network();
    const auto method = method_on(*network, "spikenm", kPaper + toml);
    search_step(*network, *method);
    std::vector<Tensor> list;
    for (size_t i = 0; i < method->layers().size(); ++i)
      list.push_back(logits_of(*method, i).grad());
    return list;
  };
  const auto task = gradients("lambda_eid = 0"), both = gradients("eid_target = \"uniform\"");
  int64_t n_blocks = 0;
  for (const Tensor& g : task) n_blocks += g.size(0);
  const auto network = small_network();
  const auto method = method_on(*network, "spikenm", kPaper);  // the same logits
  for (size_t i = 0; i < task.size(); ++i) {
    const Tensor wanted =
        5.0 / static_cast<double>(n_blocks) * (logits_of(*method, i).detach().softmax(1) - 0.25);
    EXPECT_GT(task[i].abs().max().item<double>(), 0) << i;
    EXPECT_LT((both[i] - task[i] - wanted).abs().max().item<double>(), 1e-7) << i;
    EXPECT_GT(wanted.abs().max().item<double>(), 1e-6) << i;
  }
}

TEST(Spikenm, CreditsMakeAnotherTargetThanUniform) {
  const auto network = small_network();
  const auto credit = method_on(*network, "spikenm", kPaper),
             uniform = method_on(*network, "spikenm", kPaper + "eid_target = \"uniform\"");
  ASSERT_NE(credit->credit(0), nullptr);
  EXPECT_EQ(uniform->credit(0), nullptr);
  search_step(*network, *credit);
  search_step(*network, *uniform);
  EXPECT_FALSE(at::equal(logits_of(*credit, 1).grad(), logits_of(*uniform, 1).grad()));
  const Json seen = credit->take_statistics();
  EXPECT_GT(seen.at("eid_kl").get<double>(), 0);
  EXPECT_GT(seen.at("logit_grad_eid").get<double>(), 0);
  EXPECT_DOUBLE_EQ(seen.at("tau").get<double>(), 1);
}

TEST(Spikenm, WeightGradientIsMaskedOrDense) {
  for (const bool dense : {false, true}) {
    const auto network = small_network();
    const auto method =
        method_on(*network, "spikenm",
                  kPaper + (dense ? "weight_grad = \"dense\"" : "weight_grad = \"masked\""));
    search_step(*network, *method);
    const auto masks = harden_all(*method).weights;
    const Tensor outside = network->synapses()[2].weight.grad() * (1 - masks[2].keep);
    EXPECT_EQ(outside.abs().max().item<float>() > 0, dense);
  }
}

TEST(Spikenm, TheTemperatureScalesTheLogitsGradientOnly) {
  const auto network = small_network();
  const auto hot = method_on(*network, "spikenm", kPaper + "lambda_eid = 0\ntau_min = 1"),
             cold = method_on(*network, "spikenm", kPaper + "lambda_eid = 0\ntau_max = 0.1");
  search_step(*network, *hot);
  const Tensor weight_gradient = network->synapses()[1].weight.grad().clone();
  search_step(*network, *cold);
  EXPECT_EQ(hardened(*hot), hardened(*cold));
  EXPECT_TRUE(at::equal(network->synapses()[1].weight.grad(), weight_gradient));
  EXPECT_FALSE(at::equal(logits_of(*hot, 1).grad(), logits_of(*cold, 1).grad()));
}

}  // namespace
}  // namespace spikenm::sparsity
