#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

#include <set>

namespace spikenm::sparsity {
namespace {

using test::hardened, test::kept_in_block, test::method_on, test::small_network;

const std::string kConv3 = "layers = [\"conv3\"]\n";  // 144 blocks of 16, no tail

Tensor logits_of(Pruning& method) {
  return method.param_groups()[0].tensors[0];
}

std::set<int> block_counts(const Pruning& method) {
  std::set<int> counts;
  const nm::Mask mask = method.harden(0);
  for (int64_t b = 0; b < mask.layout.n_blocks; ++b) counts.insert(kept_in_block(mask, b));
  return counts;
}

TEST(PatternClass, HasALogitForEveryPattern) {
  const auto network = small_network();
  const auto classes = [&](const std::string& toml) {
    return logits_of(*method_on(*network, "pattern-class", kConv3 + toml)).size(1);
  };
  EXPECT_EQ(classes("pattern = \"2:4\""), 10);
  EXPECT_EQ(classes("pattern = \"2:16\""), 136);
  EXPECT_EQ(classes("pattern = \"2:16\"\ndraws = \"exactly\""), 120);
  EXPECT_EQ(classes("pattern = \"1:8\""), 8);
  EXPECT_EQ(classes("pattern = \"14:16\"\ndraws = \"exactly\""), 120);
}

TEST(PatternClass, AtMostKeepsOneToNAndExactlyKeepsN) {
  const auto network = small_network();
  EXPECT_EQ(block_counts(*method_on(*network, "pattern-class", kConv3 + "pattern = \"3:8\"")),
            (std::set<int>{1, 2, 3}));
  EXPECT_EQ(block_counts(*method_on(*network, "pattern-class",
                                    kConv3 + "pattern = \"3:8\"\ndraws = \"exactly\"")),
            (std::set<int>{3}));
}

TEST(PatternClass, FlatLogitsKeepTheMeanOfAllPatterns) {
  const auto network = small_network(32);  // conv3 has 36,864 weights
  const auto method = method_on(*network, "pattern-class", kConv3);
  // 2:4 has 4 patterns of one and 6 of two: 16 ones in 40 places. The error is 0.13 %.
  EXPECT_NEAR(harden_all(*method).weights[0].keep.mean().item<double>(), 0.4, 0.006);
}

TEST(PatternClass, FreezeLastKeepsTheDrawAndTopNTheMostProbablePattern) {
  const auto network = small_network();
  for (const bool top : {false, true}) {
    const auto method = method_on(*network, "pattern-class",
                                  kConv3 + "axis = \"flat\"\n" + (top ? "freeze = \"top-n\"" : ""));
    {
      const at::NoGradGuard no_grad;
      logits_of(*method).select(1, 6).add_(1);  // place 6: the bits 0110, after 4 single ones,
    }  // 0011 and 0101
    method->begin_step({3, 10});
    const Tensor& weight = method->layers()[0].synapse->weight;
    const Tensor keep = harden_all(*method).weights[0].keep;
    EXPECT_EQ(at::equal(method->effective_weight(0, weight), weight * keep), !top);
    const Tensor wanted = at::tensor(std::vector<float>{0, 1, 1, 0}).repeat({keep.numel() / 4});
    EXPECT_EQ(at::equal(keep.flatten(), wanted), top);
  }
}

TEST(PatternClass, TrainingFindsThePatternThatLowersTheLoss) {
  const auto network = small_network();
  const auto method =
      method_on(*network, "pattern-class", kConv3 + "axis = \"flat\"\nfreeze = \"top-n\"");
  const Tensor& weight = method->layers()[0].synapse->weight;
  weight.detach().fill_(1);
  const Tensor target = at::tensor(std::vector<float>{1, 0, 0, 1}).repeat({weight.numel() / 4});
  Tensor logits = logits_of(*method);
  for (int64_t step = 0; step < 150; ++step) {
    logits.mutable_grad() = Tensor();
    method->begin_step({step, 150});
    (method->effective_weight(0, weight).flatten() - target).square().sum().backward();
    const at::NoGradGuard no_grad;
    logits.sub_(logits.grad(), 0.2);
  }
  EXPECT_GT(
      harden_all(*method).weights[0].keep.flatten().eq(target).to(at::kFloat).mean().item<double>(),
      0.99);
}

TEST(PatternClass, TheTemperatureFallsOverTheSearch) {
  const auto network = small_network();
  const auto method = method_on(*network, "pattern-class", kConv3 + "tau_max = 2\ntau_min = 0.02");
  method->begin_step({5, 10});
  EXPECT_NEAR(method->take_statistics().at("tau").get<double>(), 0.2, 1e-12);
}

TEST(PatternClass, TooManyPatternsAreRefusedByNumber) {
  const auto network = small_network();
  // 64 + 2016 + 41664.
  EXPECT_ERROR(method_on(*network, "pattern-class", "axis = \"flat\"\npattern = \"3:64\""),
               "pattern", "3:64", "43744", "4096", "spikenm");
  EXPECT_ERROR(
      method_on(*network, "pattern-class",
                "axis = \"flat\"\nlayer_pattern.\"conv2\" = \"8:16\"\ndraws = \"exactly\""),
      "8:16", "conv2", "12870");
  EXPECT_ERROR(method_on(*network, "pattern-class", "axis = \"flat\"\npattern = \"32:64\""),
               "32:64", "spikenm");
}

TEST(PatternClass, BadOptionsAreRefused) {
  const auto network = small_network();
  for (const char* key : {"draws", "freeze"})
    EXPECT_ERROR(method_on(*network, "pattern-class", std::string(key) + " = \"never\""), key,
                 "never");
  EXPECT_ERROR(method_on(*network, "pattern-class", "tau_max = 0.01"), "tau_min", "tau_max");
  EXPECT_ERROR(method_on(*network, "pattern-class", "logit_std = -1"), "logit_std");
}

}  // namespace
}  // namespace spikenm::sparsity
