#include "support/expect_error.h"
#include "support/small_network.h"
#include "support/tensors.h"
#include "support/tiny_network.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace spikenm::sparsity {
namespace {

using test::hardened, test::method_on, test::search_step, test::small_network;

// One linear layer, blocks of four along its inputs, and a method on it whose credits the test
// hands in itself.
struct Wired {
  std::unique_ptr<nn::Network> network;
  std::unique_ptr<Pruning> method;
  Tensor weight, cleared;  // `cleared` is the keep that the moments were cleared with

  Wired(int64_t cout, int64_t cin, const std::string& toml, uint64_t seed = 0) {
    test::TinyGraph graph(cin);
    graph.flatten();
    graph.synapse("fc", test::normal_tensor({cout, cin, 1, 1}, at::kFloat, 1));
    network = graph.make();
    method = method_on(*network, "rewire", toml, seed);
    weight = network->synapses()[0].weight.detach();
  }

  [[nodiscard]] Tensor keep() const { return harden_all(*method).weights[0].keep; }

  void earn(const Tensor& credit) {
    method->credit(0)->credit = credit;
    method->after_backward({});
  }

  // The end of step `step` of `steps`; returns how many blocks changed.
  int64_t step_ends(int64_t step, int64_t steps) {
    cleared = Tensor();
    method->after_step({step, steps}, [&](const Tensor& parameter, const Tensor& untouched) {
      EXPECT_TRUE(parameter.is_same(network->synapses()[0].weight));
      cleared = untouched;
    });
    return method->take_statistics().at("rewired_blocks").get<int64_t>();
  }
};

const std::string kAll = "every = 1\nfraction = 1\n";  // at the start of a long search: every block

TEST(Rewire, StartsFromTheExactRandomMaskOfItsSeed) {
  const auto network = small_network();
  for (const uint64_t seed : {1, 2})
    EXPECT_EQ(hardened(*method_on(*network, "rewire", "", seed)),
              hardened(*method_on(*network, "random", "draws = \"exactly\"", seed)));
}

TEST(Rewire, DropsTheSmallestKeptWeightAndGrowsTheMostCredited) {
  Wired wired(1, 4, kAll);
  const Tensor before = wired.keep().flatten();
  const Tensor kept = before.nonzero().flatten(), free = before.eq(0).nonzero().flatten();
  ASSERT_EQ(kept.numel(), 2);
  // Sizes 0.5 and 0.2 are kept; an unkept 0.1 must not count. The kept positions' credit is the
  // largest of all and must not count either.
  wired.weight.fill_(0.1f).flatten().index_put_({kept},
                                                at::tensor(std::vector<float>{-0.5f, 0.2f}));
  Tensor credit = at::full({1, 4, 1, 1}, 9.0f);
  credit.flatten().index_put_({free}, at::tensor(std::vector<float>{1, 2}));
  wired.earn(credit);
  EXPECT_EQ(wired.step_ends(0, 1000), 1);

  Tensor wanted = before.clone(), untouched = at::ones({4});
  const int64_t dropped = kept[1].item<int64_t>(), grown = free[1].item<int64_t>();
  wanted[dropped] = untouched[dropped] = 0;
  wanted[grown] = 1;
  untouched[grown] = 0;
  EXPECT_TRUE(at::equal(wired.keep().flatten(), wanted));
  EXPECT_TRUE(at::equal(wired.cleared.flatten(), untouched));
  EXPECT_EQ(wired.weight.flatten()[kept[0].item<int64_t>()].item<float>(), -0.5f);
  EXPECT_EQ(wired.weight.flatten()[dropped].item<float>(), 0);
  EXPECT_EQ(wired.weight.flatten()[grown].item<float>(), 0);
  EXPECT_TRUE(
      at::equal(wired.method->effective_weight(0, at::ones({1, 4, 1, 1})).flatten(), wanted));
}

TEST(Rewire, EqualSizesAndCreditsGoToTheLowestPositionAndBlock) {
  Wired wired(1, 40, "every = 1\nfraction = 0.3");
  const Tensor before = wired.keep().view({10, 4});
  wired.weight.fill_(0.5f);
  wired.earn(at::ones_like(wired.weight));
  EXPECT_EQ(wired.step_ends(0, 1'000'000), 3);
  Tensor wanted = before.clone();
  for (int64_t b = 0; b < 3; ++b) {
    wanted[b][before[b].nonzero()[0].item<int64_t>()] = 0;
    wanted[b][before[b].eq(0).nonzero()[0].item<int64_t>()] = 1;
  }
  EXPECT_TRUE(at::equal(wired.keep().view({10, 4}), wanted));
}

TEST(Rewire, ChangesTheBlocksWhoseSmallestKeptWeightIsSmallest) {
  Wired wired(1, 40, "every = 1\nfraction = 0.2");
  const Tensor before = wired.keep().view({10, 4});
  wired.weight.fill_(0.01f);  // only kept weights decide
  for (int64_t b = 0; b < 10; ++b) {
    const Tensor kept = before[b].nonzero().flatten();
    const float size = b == 7 ? 0.1f : b == 4 ? 0.2f : 0.3f;
    wired.weight.view({10, 4})[b].index_put_({kept}, at::tensor(std::vector<float>{5, size}));
  }
  wired.earn(at::ones_like(wired.weight));
  EXPECT_EQ(wired.step_ends(0, 1'000'000), 2);
  const Tensor changed = wired.keep().view({10, 4}).ne(before).any(1);
  EXPECT_TRUE(at::equal(changed.nonzero().flatten(), at::tensor(std::vector<int64_t>{4, 7})));
}

TEST(Rewire, TheShareOfBlocksFollowsAHalfCosine) {
  Wired wired(10, 400, "every = 1\nfraction = 0.4");  // 1000 blocks
  wired.earn(at::ones_like(wired.weight));
  EXPECT_EQ(wired.step_ends(0, 1'000'000), 400);
  EXPECT_EQ(wired.step_ends(24, 100), 341);  // 0.2 (1 + cos(pi/4)) = 0.3414
  EXPECT_EQ(wired.step_ends(49, 100), 200);
  EXPECT_EQ(wired.step_ends(74, 100), 59);  // 0.2 (1 - cos(pi/4)) = 0.0586
  EXPECT_EQ(wired.step_ends(99, 100), 0);   // the last step leaves the mask as it was trained
  EXPECT_FALSE(wired.cleared.defined());
}

TEST(Rewire, HappensAfterEveryKStepsAndKeepsNInEveryBlock) {
  Wired wired(10, 40, "every = 5\nfraction = 0.3");
  for (int64_t step = 0; step < 20; ++step) {
    const Tensor before = wired.keep();
    wired.earn(test::normal_tensor({10, 40, 1, 1}, at::kFloat, static_cast<uint32_t>(step)).abs());
    wired.step_ends(step, 100);
    EXPECT_EQ(at::equal(wired.keep(), before), step % 5 != 4) << step;
    EXPECT_TRUE(wired.keep().view({-1, 4}).sum(1).eq(2).all().item<bool>());
  }
}

TEST(Rewire, HappensByAShareOfTheSearchUnlessTold) {
  Wired wired(10, 40, "");  // 3 % of 200 steps
  for (int64_t step = 0; step < 13; ++step)
    EXPECT_EQ(wired.step_ends(step, 200) > 0, step % 6 == 5) << step;
}

TEST(Rewire, TheCreditIsARunningMean) {
  // The free positions earn (8, 0), then (0, 3): with decay 0.5 the means are 2 and 1.5, so the
  // first grows; with decay 0.1 they are 0.72 and 2.7.
  for (const auto& [decay, winner] : {std::pair{"0.5", 0}, std::pair{"0.1", 1}}) {
    Wired wired(1, 4, kAll + "credit_decay = " + decay);
    const Tensor free = wired.keep().flatten().eq(0).nonzero().flatten();
    const auto earn = [&](const std::vector<float>& earned) {
      Tensor credit = at::zeros({1, 4, 1, 1});
      credit.flatten().index_put_({free}, at::tensor(earned));
      wired.earn(credit);
    };
    earn({8, 0});
    wired.step_ends(999, 1000);  // rewires nothing
    earn({0, 3});
    wired.step_ends(0, 1000);
    EXPECT_EQ(wired.keep().flatten()[free[winner].item<int64_t>()].item<float>(), 1) << decay;
  }
}

// Whether it is skipped may be known only once the method has seen its gradients (train/step_watch.h).
TEST(Rewire, AStepThatIsSkippedEarnsAndMovesNothing) {
  Wired wired(1, 4, kAll);
  const Tensor mask = wired.keep(), weight = wired.weight.clone();
  const auto credit = [&] { return wired.method->kept_tensors()[0].tensor.clone(); };
  const Tensor overflow = at::zeros({1});
  StepInfo info;
  info.scaling.overflow = overflow;
  wired.method->credit(0)->credit = at::ones_like(wired.weight);
  wired.method->after_backward(info);
  overflow.fill_(1);
  wired.step_ends(0, 1000);
  EXPECT_EQ(credit().abs().max().item<float>(), 0);
  EXPECT_TRUE(at::equal(wired.keep(), mask));
  EXPECT_TRUE(at::equal(wired.weight, weight));
  EXPECT_TRUE(wired.cleared.eq(1).all().item<bool>());
  overflow.fill_(0);
  wired.step_ends(0, 1000);
  EXPECT_GT(credit().abs().max().item<float>(), 0);
  EXPECT_FALSE(at::equal(wired.keep(), mask));
  EXPECT_FALSE(at::equal(wired.weight, weight));
}

TEST(Rewire, SharingChannelsAddSizesAndCreditsAndMoveTogether) {
  Wired wired(3, 4, kAll + "share = 2\npattern = \"1:4\"");  // the last group has one channel
  const Tensor before = wired.keep().view({3, 4});
  EXPECT_TRUE(at::equal(before[0], before[1]));
  const Tensor free = before[0].eq(0).nonzero().flatten();
  Tensor credit = at::zeros({3, 4, 1, 1});
  credit.view({3, 4})[0].index_put_({free}, at::tensor(std::vector<float>{3, 0, 2}));
  credit.view({3, 4})[1].index_put_({free}, at::tensor(std::vector<float>{0, 1, 2}));  // 3, 1, 4
  wired.earn(credit);
  EXPECT_EQ(wired.step_ends(0, 1000), 2);
  const Tensor after = wired.keep().view({3, 4});
  for (int64_t channel = 0; channel < 2; ++channel)
    EXPECT_EQ(after[channel][free[2].item<int64_t>()].item<float>(), 1) << channel;
  EXPECT_TRUE(at::equal(after[0], after[1]));
  EXPECT_TRUE(after.sum(1).eq(1).all().item<bool>());
  EXPECT_TRUE(at::equal(wired.cleared.view({3, 4})[0], wired.cleared.view({3, 4})[1]));
  EXPECT_TRUE(wired.weight.mul(1 - wired.cleared).eq(0).all().item<bool>());
}

TEST(Rewire, ABlockThatKeepsEverythingHasNowhereToGrow) {
  Wired wired(2, 4, kAll + "pattern = \"4:4\"");
  wired.earn(at::ones_like(wired.weight));
  EXPECT_EQ(wired.step_ends(0, 1000), 0);
  EXPECT_EQ(wired.keep().sum().item<float>(), 8);
}

TEST(Rewire, CreditsAreNetUnlessAskedForByTime) {
  const auto network = small_network();
  EXPECT_EQ(method_on(*network, "rewire", "")->credit(0)->kind, ops::CreditKind::kNet);
  EXPECT_EQ(method_on(*network, "rewire", "credit = \"temporal\"")->credit(0)->kind,
            ops::CreditKind::kTemporal);
}

TEST(Rewire, TrainsUnderItsMaskAndGivesTheSameMasksForAnyNumberOfThreads) {
  std::vector<std::vector<uint8_t>> masks;
  for (const int n : {1, 2}) {
    const test::Threads threads(n);
    const auto network = small_network();
    const auto method = method_on(*network, "rewire", "every = 1\naxis = \"flat\"");
    for (int64_t step = 0; step < 3; ++step) {
      search_step(*network, *method, {step, 4});
      const Tensor& weight = network->synapses()[2].weight;
      const Tensor keep = harden_all(*method).weights[2].keep;
      EXPECT_EQ((weight.grad() * (1 - keep)).abs().max().item<float>(), 0);
      method->after_step({step, 4}, [](const Tensor&, const Tensor&) {});
    }
    masks.push_back(hardened(*method));
  }
  EXPECT_EQ(masks[0], masks[1]);
  EXPECT_NE(masks[0], hardened(*method_on(*small_network(), "rewire", "axis = \"flat\"")));
}

TEST(Rewire, BadOptionsAreRefused) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "rewire", "every = 0"), "every", "0");
  EXPECT_ERROR(method_on(*network, "rewire", "fraction = 1.5"), "fraction", "1.5");
  EXPECT_ERROR(method_on(*network, "rewire", "credit = \"gross\""), "credit", "gross");
  EXPECT_ERROR(method_on(*network, "rewire", "credit_decay = 1"), "credit_decay", "1");
}

}  // namespace
}  // namespace spikenm::sparsity
