#include "spikenm/sparsity/auto_pattern.h"

#include "spikenm/core/random.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace spikenm::sparsity {
namespace {

using Rule = AutoPattern::Rule;
using Counts = std::vector<int>;

AutoLayer square(int64_t channels, int64_t tail = 0) {
  return {.shape = {channels, channels, 1, 1}, .tail = tail};
}

int64_t step_of(const AutoLayer& layer, int m) {
  return (layer.shape.numel() - layer.tail) / m;
}

double kept(const std::vector<AutoLayer>& layers, const Counts& n, int m) {
  double sum = 0;
  for (size_t i = 0; i < layers.size(); ++i)
    sum += static_cast<double>(layers[i].tail + n[i] * step_of(layers[i], m));
  return sum;
}

double weights(const std::vector<AutoLayer>& layers) {
  double sum = 0;
  for (const AutoLayer& layer : layers) sum += static_cast<double>(layer.shape.numel());
  return sum;
}

TEST(AutoPattern, UniformGivesEveryLayerTheSameN) {
  EXPECT_EQ(choose_n({.budget = 0.25, .m = 16, .rule = Rule::kUniform},
                     {square(4), square(16), square(64)}, {}, "p"),
            (Counts{4, 4, 4}));
}

// Relative densities (8 + 2)/16 = 10/16 and (32 + 2)/256 = 34/256. 64 of 272 weights: the scale s
// of 16 * 10/16 s + 256 * 34/256 s = 64 is 64/44 = 1.4545; densities 0.909 and 0.193, of 16
// positions 14.5 and 3.09. The large layer rounds to 3 of 16 (48 weights); the small one gets the
// 16 that are left: all.
TEST(AutoPattern, ErkKeepsSmallLayersDenser) {
  EXPECT_EQ(choose_n({.budget = 64.0 / 272}, {square(4), square(16)}, {}, "p"), (Counts{16, 3}));
}

// A kernel counts with its height and width: 3x3 on 8 channels is (8+8+3+3)/576, which is denser
// than 24 channels alone, (24+24+2)/576, though both have 576 weights.
TEST(AutoPattern, ErkCountsTheKernel) {
  const double conv = 22.0 / 576, linear = 50.0 / 576;
  const Counts n =
      choose_n({.budget = 0.3}, {{.shape = {8, 8, 3, 3}}, {.shape = {24, 24, 1, 1}}}, {}, "p");
  // 0.3 * 1152 = 345.6 weights = 9.6 steps of 36, shared as 22 : 50.
  EXPECT_EQ(n[0] + n[1], 10);
  EXPECT_EQ(n[0], std::lround(9.6 * conv / (conv + linear)));
}

// The large layer wants 1.875 of 4, the small one all. 136 - 64 - 16 = 56 are left, less than the
// 64 of one more, but more than half of it.
TEST(AutoPattern, TheLastStepGoesWhereItIsNearer) {
  EXPECT_EQ(choose_n({.budget = 0.5, .m = 4}, {square(4), square(16)}, {}, "p"), (Counts{4, 2}));
}

// All want 2.4 of 4. The large one stays at 2, as one more is 64 weights and 38.4 are left; the
// small ones take one more each: 224 of the 230.4 wanted, and the next step is 16.
TEST(AutoPattern, SmallLayersTakeUpWhatALargeOneLeaves) {
  const std::vector<AutoLayer> layers{square(8), square(8), square(16)};
  EXPECT_EQ(choose_n({.budget = 0.6, .m = 4, .rule = Rule::kUniform}, layers, {}, "p"),
            (Counts{3, 3, 2}));
}

// ERK asks for 8, 7.43, 4.82 and 7.61 of 8. What is left after rounding down is no step of the last
// layer (6400 weights), so the small ones are filled: 58912 of the 58780.8 wanted.
TEST(AutoPattern, SmallLayersStayTheDenserOnesAtAHighBudget) {
  const std::vector<AutoLayer> layers{{.shape = {16, 2, 3, 3}},
                                      {.shape = {32, 16, 3, 3}},
                                      {.shape = {32, 32, 3, 3}},
                                      {.shape = {100, 512, 1, 1}}};
  EXPECT_EQ(choose_n({.budget = 0.9, .m = 8}, layers, {}, "p"), (Counts{8, 8, 8, 7}));
}

// Tails stay, and count: of 100 weights 36 are tail. 0.52 * 100 - 36 = 16 are left for the blocks,
// one of four.
TEST(AutoPattern, TailsCountAsKept) {
  EXPECT_EQ(choose_n({.budget = 0.52, .m = 4}, {square(10, 36)}, {}, "p"), (Counts{1}));
  // A layer that is all tail has nothing to choose.
  EXPECT_EQ(choose_n({.budget = 0.5, .m = 4}, {square(2, 4), square(16)}, {}, "p"), (Counts{4, 2}));
}

// Half of 512 is 256; the given layer keeps 192 of its 256, so the other has 64 left, 1 of 4.
TEST(AutoPattern, LayersWithAPatternOfTheirOwnCountTowardsTheBudget) {
  const GivenLayers given{.weights = 256, .kept = 192};
  EXPECT_EQ(choose_n({.budget = 0.5, .m = 4}, {square(16)}, given, "p"), (Counts{1}));
  EXPECT_ERROR(choose_n({.budget = 0.4, .m = 4}, {square(16)}, given, "p"), "p: ", "0.4",
               "0.5 to 0.875");
  EXPECT_ERROR(choose_n({.budget = 0.9, .m = 4}, {square(16)}, given, "p"), "0.5 to 0.875");
}

TEST(AutoPattern, ABudgetThatCannotBeMetNamesTheRange) {
  EXPECT_ERROR(choose_n({.budget = 0.01}, {square(16)}, {}, "method.pattern"), "method.pattern",
               "0.01", "0.0625 to 1");
  EXPECT_ERROR(choose_n({.budget = 1.01}, {square(16)}, {}, "method.pattern"), "1.01",
               "0.0625 to 1");
  EXPECT_ERROR(choose_n({.budget = std::nan("")}, {square(16)}, {}, "p"), "0.0625 to 1");
  EXPECT_EQ(choose_n({.budget = 0.0625}, {square(16), square(4)}, {}, "p"), (Counts{1, 1}));
  EXPECT_EQ(choose_n({.budget = 1}, {square(16), square(4)}, {}, "p"), (Counts{16, 16}));
}

// Whatever the shapes: below the budget by half a step at most of any layer that is not full, above
// it by half a step of one that has more than its least.
TEST(AutoPattern, ComesAsNearToAnyBudgetAsTheStepsAllow) {
  const int m = 8;
  const RandomAddress random(3, 0);
  uint64_t at = 0;
  const auto draw = [&](int64_t n) {
    return static_cast<int64_t>(random.uniform(at++) * static_cast<double>(n));
  };
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<AutoLayer> layers;
    for (int i = 0; i < 4; ++i) {
      const nm::WeightShape shape{8 * (1 + draw(16)), 1 + draw(32), 1 + draw(3), 1};
      layers.push_back({.shape = shape, .tail = 8 * draw(2)});
    }
    const double low = kept(layers, {1, 1, 1, 1}, m) / weights(layers);
    const double budget = low + (1 - low) * random.uniform(at++);
    for (const Rule rule : {Rule::kErk, Rule::kUniform}) {
      const Counts n = choose_n({.budget = budget, .m = m, .rule = rule}, layers, {}, "p");
      const double above = kept(layers, n, m) - budget * weights(layers);
      double largest = 0;
      for (size_t i = 0; i < layers.size(); ++i) {
        const auto step = static_cast<double>(step_of(layers[i], m));
        if (n[i] < m) {
          EXPECT_GE(above, -step / 2 - 1e-6) << trial;
        }
        if (n[i] > 1) largest = std::max(largest, step);
      }
      EXPECT_LE(above, largest / 2 + 1e-6) << trial;
    }
  }
}

TEST(ReadAutoPattern, ReadsTheBudgetAndItsKeys) {
  const auto read = [](const std::string& pattern, const std::string& lines) {
    return read_auto_pattern(pattern,
                             Config::from_text("[method]\n" + lines, "test").section("method"));
  };
  EXPECT_FALSE(read("2:4", "").has_value());
  const AutoPattern plain = read("auto:0.25", "").value();
  EXPECT_EQ(plain.budget, 0.25);
  EXPECT_EQ(plain.m, 16);
  EXPECT_EQ(plain.rule, Rule::kErk);
  const AutoPattern other = read("auto:0.5", "auto_m = 8\nauto_rule = \"uniform\"").value();
  EXPECT_EQ(other.m, 8);
  EXPECT_EQ(other.rule, Rule::kUniform);
  for (const char* bad : {"auto:", "auto:half", "auto:0.25x", "auto: 0.25"})
    EXPECT_ERROR(read(bad, ""), "method.pattern", bad, "auto:0.25");
  EXPECT_ERROR(read("auto:0.25", "auto_m = 65"), "method.auto_m", "65", "64");
  EXPECT_ERROR(read("auto:0.25", "auto_rule = \"best\""), "method.auto_rule", "best", "uniform");
}

}  // namespace
}  // namespace spikenm::sparsity
