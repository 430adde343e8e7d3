#include "spikenm/kernels/pattern_class.h"

#include "spikenm/core/parallel.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace spikenm::kernels
