#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

using test::hardened, test::method_on, test::search_step, test::small_network;

const std::string kBusy = "mask_every = 1\nevery = 1\npattern = \"2:8\"\n";

// The share of conv3's weights that a training step uses.
double density(nn::Network& network, Pruning& method, const StepInfo& info) {
  method.begin_step(info);
  const Tensor& weight = network.synapses()[2].weight;
  return method.effective_weight(2, at::ones_like(weight)).mean().item<double>();
}

TEST(GradualRewire, PrunesAsGradualDoesUntilItsShareOfTheSearch) {
  const auto network = small_network();
  const auto both = method_on(*network, "gradual-rewire", kBusy + "until = 0.4"),
             gradual =
                 method_on(*network, "gradual", "mask_every = 1\npattern = \"2:8\"\nuntil = 0.4");
  for (const int64_t step : {0, 5, 20, 39, 40}) {
    EXPECT_EQ(density(*network, *both, {step, 100}), density(*network, *gradual, {step, 100}))
        << step;
    EXPECT_EQ(hardened(*both), hardened(*gradual)) << step;
  }
  EXPECT_EQ(density(*network, *both, {40, 100}), 0.25);
}

TEST(GradualRewire, KeepsNWhereTheRewiringBeginsWhateverItsLastChoiceWas) {
  const auto network = small_network();
  const auto method =
      method_on(*network, "gradual-rewire", "mask_every = 1000\nevery = 1\npattern = \"2:8\"\n");
  EXPECT_EQ(density(*network, *method, {0, 100}), 1);
  EXPECT_EQ(density(*network, *method, {49, 100}), 1);
  EXPECT_EQ(density(*network, *method, {50, 100}), 0.25);
}

// How many blocks each step's end rewires.
std::vector<int64_t> rewired(const std::string& toml, int64_t steps) {
  const auto network = small_network();
  const auto method = method_on(*network, "gradual-rewire", toml);
  std::vector<int64_t> blocks;
  for (int64_t step = 0; step < steps; ++step) {
    search_step(*network, *method, {step, steps});
    method->after_step({step, steps}, [](const Tensor&, const Tensor&) {});
    blocks.push_back(method->take_statistics().at("rewired_blocks").get<int64_t>());
  }
  return blocks;
}

TEST(GradualRewire, RewiresFewerAndFewerBlocksFromThereToTheEnd) {
  const std::vector<int64_t> blocks = rewired(kBusy + "until = 0.5", 8);
  for (size_t step = 0; step < 4; ++step) EXPECT_EQ(blocks[step], 0) << step;
  for (size_t step = 4; step < 7; ++step) EXPECT_GT(blocks[step], blocks[step + 1]) << step;
  EXPECT_EQ(blocks[7], 0);
}

TEST(GradualRewire, ItsIntervalIsAShareOfTheWholeSearch) {
  const std::vector<int64_t> blocks =
      rewired("mask_every = 1\npattern = \"2:8\"\nuntil = 0.5\nevery = \"25%\"", 8);
  for (size_t step = 0; step < 8; ++step) EXPECT_EQ(blocks[step] > 0, step == 5) << step;
}

TEST(GradualRewire, WantsNoCreditBeforeItRewires) {
  const auto network = small_network();
  const auto method = method_on(*network, "gradual-rewire", kBusy);
  method->begin_step({4, 10});
  EXPECT_EQ(method->credit(0), nullptr);
  method->begin_step({5, 10});
  EXPECT_NE(method->credit(0), nullptr);
}

TEST(GradualRewire, ANewSearchBeginsWithPruningAgain) {
  const auto network = small_network();
  const auto method = method_on(*network, "gradual-rewire", kBusy);
  EXPECT_EQ(density(*network, *method, {9, 10}), 0.25);
  EXPECT_EQ(density(*network, *method, {0, 10}), 1);
}

TEST(GradualRewire, ASearchThatLeavesNoStepForRewiringIsDoubted) {
  const auto network = small_network();
  const auto method = method_on(*network, "gradual-rewire", "every = 5");
  EXPECT_TRUE(method->doubts(12).empty());
  ASSERT_EQ(method->doubts(10).size(), 1u);
  EXPECT_NE(method->doubts(10)[0].find("every: found 5, and 5 of the search's 10 steps"),
            std::string::npos)
      << method->doubts(10)[0];
  EXPECT_EQ(method->doubts(0).size(), 1u);
  EXPECT_ERROR(method_on(*network, "gradual-rewire", "until = 1"), "until", "1", "0.99");
}

}  // namespace
}  // namespace spikenm::sparsity
