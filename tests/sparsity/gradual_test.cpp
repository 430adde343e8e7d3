#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace spikenm::sparsity {
namespace {

using test::hardened, test::kept_in_block, test::method_on, test::search_step, test::small_network;

const std::string kFlat = "axis = \"flat\"\nlayers = [\"conv3\"]\n";  // 2304 weights, no tail

// The mask that a training step uses.
Tensor in_force(Pruning& method) {
  return method.effective_weight(0, at::ones_like(method.layers()[0].synapse->weight)).detach();
}

double kept_of_16(Pruning& method, int64_t step, int64_t steps) {
  method.begin_step({step, steps});
  return 16 * in_force(method).mean().item<double>();
}

TEST(Gradual, TheKeepCountFallsFromMToNByTheCubeOfWhatIsLeft) {
  const auto network = small_network();
  const auto method =
      method_on(*network, "gradual", kFlat + "pattern = \"2:16\"\nuntil = 0.8\nmask_every = 1");
  EXPECT_DOUBLE_EQ(kept_of_16(*method, 0, 100), 16);
  EXPECT_DOUBLE_EQ(kept_of_16(*method, 20, 100), 8);  // p/until = 1/4: 2 + 14 * 27/64 = 7.9
  EXPECT_DOUBLE_EQ(kept_of_16(*method, 40, 100), 4);  // 1/2: 2 + 14/8 = 3.75
  EXPECT_DOUBLE_EQ(kept_of_16(*method, 60, 100), 2);  // 3/4: 2 + 14/64 = 2.2
  EXPECT_DOUBLE_EQ(kept_of_16(*method, 80, 100), 2);
  EXPECT_DOUBLE_EQ(kept_of_16(*method, 99, 100), 2);
}

TEST(Gradual, ByDefaultItEndsAtNineTenthsOfTheSearch) {
  const auto network = small_network();
  const auto method = method_on(*network, "gradual", kFlat + "pattern = \"1:16\"\nmask_every = 1");
  // 1 + 15 (1 - p/0.9)^3 is 1.5 where 1 - p/0.9 = (1/30)^(1/3) = 0.3218, at p = 0.6104.
  EXPECT_DOUBLE_EQ(kept_of_16(*method, 610, 1000), 2);
  EXPECT_DOUBLE_EQ(kept_of_16(*method, 611, 1000), 1);
}

TEST(Gradual, TheMaskIsHeldForMaskEverySteps) {
  const auto network = small_network();
  const auto method = method_on(*network, "gradual", kFlat + "mask_every = 3");
  Tensor weight = method->layers()[0].synapse->weight.detach();
  std::vector<Tensor> masks;
  for (int64_t step = 0; step < 9; ++step) {
    weight.copy_(weight.roll(1));  // other weights are large
    method->begin_step({3 + step, 12});
    masks.push_back(in_force(*method));
  }
  for (size_t i = 1; i < masks.size(); ++i)
    EXPECT_EQ(at::equal(masks[i], masks[i - 1]), i % 3 != 0) << i;
}

TEST(Gradual, ChoosesByAShareOfTheSearchUnlessTold) {
  const auto network = small_network();
  const auto method = method_on(*network, "gradual", kFlat);
  Tensor weight = method->layers()[0].synapse->weight.detach();
  method->begin_step({900, 1000});  // 0.6 % of 1000 is 6
  const Tensor before = in_force(*method);
  weight.copy_(weight.roll(1));
  method->begin_step({905, 1000});
  EXPECT_TRUE(at::equal(in_force(*method), before));
  method->begin_step({906, 1000});
  EXPECT_FALSE(at::equal(in_force(*method), before));
}

TEST(Gradual, KeepsTheLargestOfEveryBlock) {
  const auto network = small_network();
  const auto method = method_on(*network, "gradual", kFlat + "pattern = \"2:8\"\nmask_every = 1");
  method->begin_step({30, 100});  // 2 + 6 (2/3)^3 = 3.8
  const Tensor keep = in_force(*method).view({-1, 8}),
               size = method->layers()[0].synapse->weight.detach().abs().view({-1, 8});
  EXPECT_TRUE(keep.sum(1).eq(4).all().item<bool>());
  const Tensor least_kept = size.masked_fill(keep.eq(0), INFINITY).amin(1),
               most_dropped = (size * (1 - keep)).amax(1);
  EXPECT_TRUE(least_kept.gt(most_dropped).all().item<bool>());
}

TEST(Gradual, ADroppedWeightReturnsWhenItIsAmongTheLargest) {
  const auto network = small_network();
  const auto method = method_on(*network, "gradual", kFlat + "pattern = \"1:4\"\nmask_every = 1");
  Tensor weight = method->layers()[0].synapse->weight.detach().flatten();
  weight.fill_(0.1f);
  weight[2] = 0.5f;
  method->begin_step({95, 100});
  EXPECT_EQ(in_force(*method).flatten()[2].item<float>(), 1);
  EXPECT_EQ(in_force(*method).flatten()[3].item<float>(), 0);
  weight[3] = -0.6f;
  method->begin_step({96, 100});
  EXPECT_EQ(in_force(*method).flatten()[2].item<float>(), 0);
  EXPECT_EQ(in_force(*method).flatten()[3].item<float>(), 1);
}

TEST(Gradual, WouldFreezeTheNLargestOfTheMaskInForce) {
  const auto network = small_network();
  const auto method = method_on(*network, "gradual", kFlat + "pattern = \"2:8\"\nmask_every = 1");
  const auto magnitude = method_on(*network, "magnitude", kFlat + "pattern = \"2:8\"");
  for (const int64_t step : {0, 50, 99}) {
    method->begin_step({step, 100});
    EXPECT_EQ(hardened(*method), hardened(*magnitude)) << step;
    const Tensor frozen = harden_all(*method).weights[0].keep;
    EXPECT_TRUE(at::equal(frozen * in_force(*method), frozen)) << step;
  }
  EXPECT_TRUE(at::equal(harden_all(*method).weights[0].keep, in_force(*method)));
}

TEST(Gradual, TheWeightGradientIsMaskedOrDenseAndTheForwardIsTheSame) {
  for (const bool dense : {false, true}) {
    const auto network = small_network();
    const auto method =
        method_on(*network, "gradual", kFlat + (dense ? "weight_grad = \"dense\"" : ""));
    search_step(*network, *method, {80, 100});
    const Tensor& weight = method->layers()[0].synapse->weight;
    const Tensor keep = in_force(*method);
    EXPECT_NEAR(keep.mean().item<double>(), 0.5, 1e-6);
    EXPECT_TRUE(at::equal(method->effective_weight(0, weight), weight * keep));
    EXPECT_EQ((weight.grad() * (1 - keep)).abs().max().item<float>() > 0, dense);
    EXPECT_GT((weight.grad() * keep).abs().max().item<float>(), 0);
  }
}

TEST(Gradual, BadOptionsAreRefused) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "gradual", "until = 0"), "until", "0");
  EXPECT_ERROR(method_on(*network, "gradual", "until = 1.5"), "until", "1.5");
  EXPECT_ERROR(method_on(*network, "gradual", "mask_every = 0"), "mask_every", "0");
  EXPECT_ERROR(method_on(*network, "gradual", "weight_grad = \"some\""), "weight_grad", "some");
}

}  // namespace
}  // namespace spikenm::sparsity
