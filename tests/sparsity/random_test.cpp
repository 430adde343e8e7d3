#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace spikenm::sparsity {
namespace {

using test::hardened, test::kept_in_block, test::method_on, test::small_network;

std::set<int> block_counts(const nm::Mask& mask) {
  std::set<int> counts;
  for (int64_t b = 0; b < mask.layout.n_blocks; ++b) counts.insert(kept_in_block(mask, b));
  return counts;
}

TEST(RandomMask, IsItsSeedAndNeverChanges) {
  const auto network = small_network();
  const auto a = method_on(*network, "random", "", 1), b = method_on(*network, "random", "", 1),
             other = method_on(*network, "random", "", 2);
  const auto before = hardened(*a);
  EXPECT_EQ(before, hardened(*b));
  EXPECT_NE(before, hardened(*other));
  for (int64_t step = 0; step < 3; ++step) test::search_step(*network, *a, {step, 3});
  EXPECT_EQ(hardened(*a), before);
}

TEST(RandomMask, DoesNotLookAtTheWeights) {
  const auto network = small_network(8, 0), other = small_network(8, 1);
  EXPECT_EQ(hardened(*method_on(*network, "random", "", 1)),
            hardened(*method_on(*other, "random", "", 1)));
}

TEST(RandomMask, FollowsTheDrawsRuleOfWhatItStandsBeside) {
  const auto network = small_network(32);
  const auto at_most = method_on(*network, "random", "layers = [\"conv3\"]\ndraws = \"at-most\"");
  const auto exactly = method_on(*network, "random", "layers = [\"conv3\"]\ndraws = \"exactly\"");
  const nm::Mask mask = at_most->harden(0);
  EXPECT_EQ(block_counts(mask), (std::set<int>{1, 2}));
  EXPECT_EQ(block_counts(exactly->harden(0)), (std::set<int>{2}));
  EXPECT_NEAR(100.0 * static_cast<double>(mask.kept()) / static_cast<double>(mask.layout.numel),
              43.75, 0.5);
}

TEST(RandomMask, HasTheWeightPercentOfItsRuleForEveryPattern) {
  const auto network = small_network(32);
  struct Case {
    const char *pattern, *draws;
    double percent;
  };
  // With replacement 1 - (1 - 1/M)^N, else N/M; over 36,864 weights five standard errors are 1 %.
  for (const Case& c : {Case{"2:4", "at-most", 43.75},
                        {"2:4", "exactly", 50},
                        {"2:8", "at-most", 23.4375},
                        {"2:16", "at-most", 12.109},
                        {"2:16", "exactly", 12.5},
                        {"1:8", "at-most", 12.5},
                        {"1:64", "exactly", 1.5625},
                        {"16:64", "at-most", 22.274},
                        {"16:64", "exactly", 25}}) {
    const auto method = method_on(
        *network, "random",
        fmt::format("layers = [\"conv3\"]\npattern = \"{}\"\ndraws = \"{}\"", c.pattern, c.draws));
    const Tensor keep = harden_all(*method).weights[0].keep;
    EXPECT_NEAR(100 * keep.mean().item<double>(), c.percent, 1) << c.pattern << " " << c.draws;
    const bool exactly = std::string(c.draws) == "exactly";
    EXPECT_TRUE(!exactly || block_counts(method->harden(0)).size() == 1) << c.pattern;
  }
}

TEST(RandomMask, FollowsLayerPatternsAndSharesAMask) {
  const auto network = small_network();
  const auto method = method_on(
      *network, "random", "draws = \"exactly\"\nshare = 2\nlayer_pattern.\"conv3\" = \"1:16\"");
  EXPECT_EQ(block_counts(method->harden(1)), (std::set<int>{2}));
  const nm::Mask conv3 = method->harden(2);
  EXPECT_EQ(conv3.pattern.text(), "1:16");
  EXPECT_EQ(block_counts(conv3), (std::set<int>{1}));
  const nm::MaskAudit audit = nm::audit(conv3);
  EXPECT_EQ(audit.unshared_blocks, 0);
  EXPECT_EQ(audit.blocks, 2 * conv3.layout.n_blocks);
}

TEST(RandomMask, IsAnotherOneInEveryLayer) {
  const auto network = small_network(8);
  const auto method = method_on(*network, "random", "axis = \"flat\"");
  const nm::Mask conv2 = method->harden(1), conv3 = method->harden(2);
  EXPECT_FALSE(std::equal(conv2.keep.begin(), conv2.keep.end(), conv3.keep.begin()));
}

TEST(RandomMask, TrainsUnderItsMask) {
  const auto network = small_network();
  const auto method = method_on(*network, "random", "");
  test::search_step(*network, *method);
  const Tensor& weight = network->synapses()[2].weight;
  const Tensor keep = harden_all(*method).weights[2].keep;
  EXPECT_TRUE(at::equal(method->effective_weight(2, weight), weight * keep));
  EXPECT_EQ((weight.grad() * (1 - keep)).abs().max().item<float>(), 0);
  EXPECT_GT(weight.grad().abs().max().item<float>(), 0);
}

TEST(RandomMask, BadOptionsAreRefused) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "random", "draws = \"often\""), "draws", "often", "at-most");
  EXPECT_ERROR(method_on(*network, "random", "pattern = \"5:4\""), "pattern", "5:4");
}

}  // namespace
}  // namespace spikenm::sparsity
