#include "spikenm/kernels/pattern_class.h"

#include "spikenm/core/parallel.h"
#include "support/compare.h"
#include "support/nm_formula.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace spikenm::kernels {
namespace {

std::vector<uint32_t> draw(int64_t n_blocks, int64_t n_patterns, const std::vector<float>& logits,
                           uint32_t step = 0) {
  std::vector<uint32_t> chosen(static_cast<size_t>(n_blocks));
  pattern_class_draw({.n_blocks = n_blocks,
                      .n_patterns = n_patterns,
                      .logits = logits.data(),
                      .seed = 7,
                      .step = step},
                     chosen.data());
  return chosen;
}

TEST(PatternClass, FlatLogitsChooseEveryPatternAsOften) {
  constexpr int64_t kBlocks = 100'000, kPatterns = 10;
  std::vector<int> count(kPatterns);
  for (const uint32_t p : draw(kBlocks, kPatterns, std::vector<float>(kBlocks * kPatterns)))
    ++count[p];
  for (const int n : count) EXPECT_NEAR(n, 10'000, 500);  // five standard deviations
}

TEST(PatternClass, ALargeLogitWins) {
  constexpr int64_t kBlocks = 1000, kPatterns = 36;
  std::vector<float> logits(kBlocks * kPatterns);
  for (int64_t b = 0; b < kBlocks; ++b) logits[b * kPatterns + b % kPatterns] = 100;
  const std::vector<uint32_t> chosen = draw(kBlocks, kPatterns, logits);
  for (int64_t b = 0; b < kBlocks; ++b) EXPECT_EQ(chosen[b], b % kPatterns);
}

TEST(PatternClass, ADrawDependsOnItsStepAndNotOnThreads) {
  const std::vector<float> logits(5000 * 10);
  set_threads(1);
  const std::vector<uint32_t> alone = draw(5000, 10, logits);
  set_threads(2);
  EXPECT_EQ(draw(5000, 10, logits), alone);
  EXPECT_NE(draw(5000, 10, logits, 1), alone);
}

TEST(PatternClass, WithoutNoiseTheLargestLogitWinsAndTheLowestOfEqualOnes) {
  const std::vector<float> logits{0, 2, 1, 2, 0, 0, 0, 0, -3, -2, -3, -1};
  std::vector<uint32_t> chosen(3);
  pattern_class_draw({.n_blocks = 3, .n_patterns = 4, .logits = logits.data(), .noise = 0},
                     chosen.data());
  EXPECT_EQ(chosen, (std::vector<uint32_t>{1, 0, 3}));
}

// Normal logits, weights and gradients over the blocks of a layer, and the backward in type T.
template <class T>
struct Sample {
  test::BlockSample<T> blocks;
  std::vector<nm::BlockBits> patterns;
  std::vector<T> logits;
  T tau;

  Sample(const nm::BlockLayout& layout, const nm::NmPattern& pattern, double temperature)
      : blocks(layout),
        patterns(nm::enumerate_at_most(pattern)),
        logits(
            test::normal_values<T>(static_cast<size_t>(layout.n_blocks) * patterns.size(), 1, 6)),
        tau(static_cast<T>(temperature)) {}

  [[nodiscard]] std::vector<T> backward() const {
    std::vector<T> out(logits.size(), T(7));
    pattern_class_backward<T>({.layout = blocks.layout,
                               .n_patterns = static_cast<int64_t>(patterns.size()),
                               .patterns = patterns.data(),
                               .logits = logits.data(),
                               .seed = 42,
                               .stream = 3,
                               .step = 17,
                               .tau = tau,
                               .weight = blocks.weight.data(),
                               .grad_effective = blocks.gradient.data(),
                               .grad_logits = out.data()});
    return out;
  }
};

// sum_r sum_s G_s pattern_{r,s} dy~_r/dtheta_p by the full Jacobian of the softmax, with noise read
// one word at a time.
std::vector<double> jacobian_backward(const Sample<double>& x) {
  const nm::BlockLayout& layout = x.blocks.layout;
  const size_t n = x.patterns.size();
  std::vector<double> result;
  for (int64_t b = 0; b < layout.n_blocks; ++b) {
    const auto g = test::sum_members(
        layout, b, [&](size_t at) { return x.blocks.gradient[at] * x.blocks.weight[at]; });
    const RandomAddress words(42, 3, 17);
    std::vector<double> keys;
    for (size_t p = 0; p < n; ++p) {
      const size_t row = static_cast<size_t>(b) * ((n + 3) / 4);
      keys.push_back(x.logits[static_cast<size_t>(b) * n + p] +
                     gumbel<float>(words.words(row + p / 4).word[p % 4]));
    }
    const auto y = test::softmax(keys, x.tau);
    for (size_t p = 0; p < n; ++p) {
      double sum = 0;
      for (size_t r = 0; r < n; ++r)
        for (size_t s = 0; s < g.size(); ++s)
          if ((x.patterns[r] >> s & 1) != 0) sum += g[s] * y[r] * ((r == p ? 1 : 0) - y[p]) / x.tau;
      result.push_back(sum);
    }
  }
  return result;
}

TEST(PatternClassBackward, IsTheJacobianOfTheRelaxedDraw) {
  for (const nm::NmPattern pattern : {nm::NmPattern{1, 1}, {2, 4}, {1, 5}, {3, 7}})
    for (const nm::BlockLayout& layout : test::all_layouts(pattern.m, 5))
      for (const double tau : {1.0, 0.2}) {
        const Sample<double> x(layout, pattern, tau);
        EXPECT_TRUE(test::all_close(x.backward(), jacobian_backward(x), {1e-9, 1e-9}))
            << pattern.text() << " " << tau;
        const Sample<float> y(layout, pattern, tau);
        const auto found = y.backward();
        EXPECT_TRUE(test::all_close(std::vector<double>(found.begin(), found.end()), x.backward(),
                                    {2e-4, 2e-4}))
            << pattern.text() << " " << tau;
      }
}

TEST(PatternClassBackward, SumsToZeroOverAPatternsRowAndStaysFiniteWhenCold) {
  const nm::BlockLayout layout =
      nm::make_layout({3, 64, 1, 1}, {.n = 2, .m = 64}, nm::Axis::kIn, "test");
  const Sample<double> x(layout, {.n = 2, .m = 64}, 1e-3);
  const auto found = x.backward();
  const size_t n = x.patterns.size();
  ASSERT_EQ(n, 64u + 64 * 63 / 2);
  for (size_t b = 0; b < 3; ++b) {
    double sum = 0;
    for (size_t p = 0; p < n; ++p) {
      ASSERT_TRUE(std::isfinite(found[b * n + p]));
      sum += found[b * n + p];
    }
    EXPECT_NEAR(sum, 0, 1e-9);  // a shift of all logits changes nothing
  }
}

TEST(PatternClassBackward, DoesNotDependOnThreadsAndTakesNoBlocks) {
  const nm::BlockLayout layout =
      nm::make_layout({300, 16, 1, 1}, {.n = 2, .m = 4}, nm::Axis::kIn, "test");
  const Sample<float> x(layout, {.n = 2, .m = 4}, 0.5);
  set_threads(1);
  const auto alone = x.backward();
  set_threads(2);
  EXPECT_EQ(x.backward(), alone);
  const nm::BlockLayout none =
      nm::make_layout({3, 2, 1, 1}, {.n = 2, .m = 4}, nm::Axis::kIn, "test");
  EXPECT_TRUE(Sample<float>(none, {.n = 2, .m = 4}, 1).backward().empty());
}

}  // namespace
}  // namespace spikenm::kernels
