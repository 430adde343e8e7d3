// Draws counted over whole patterns and held against their exact probabilities.
#include "spikenm/kernels/nm_sample.h"
#include "support/normal_values.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

namespace spikenm::kernels {
namespace {

constexpr int64_t kBlocks = 125000, kSteps = 8;  // 1e6 blocks in all
constexpr int32_t kDraws = 2;

using Probabilities = std::map<nm::BlockBits, double>;
using Counts = std::map<nm::BlockBits, int64_t>;

// Walks all sequences of draws; a mask's probability is the sum over those whose union it is.
// Without replacement the rest of the block is renormalised after every draw.
void add_sequences(const std::vector<double>& pi, bool replace, int draws_left, nm::BlockBits taken,
                   double probability, Probabilities& result) {
  if (draws_left == 0) {
    result[taken] += probability;
    return;
  }
  double open = 0;
  const auto is_open = [&](size_t s) { return replace || (taken >> s & 1) == 0; };
  for (size_t s = 0; s < pi.size(); ++s) open += is_open(s) ? pi[s] : 0;
  for (size_t s = 0; s < pi.size(); ++s)
    if (is_open(s))
      add_sequences(pi, replace, draws_left - 1, taken | nm::BlockBits{1} << s,
                    probability * pi[s] / open, result);
}

Probabilities pattern_probabilities(const std::vector<float>& logits, bool replace) {
  std::vector<double> pi;
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit);
  for (const float logit : logits) pi.push_back(std::exp(logit) / sum);
  Probabilities result;
  add_sequences(pi, replace, kDraws, 0, 1, result);
  return result;
}

// Every block has the same logits.
Counts count_patterns(const std::vector<float>& logits, bool replace) {
  const auto m = static_cast<int32_t>(logits.size());
  std::vector<float> all;
  for (int64_t b = 0; b < kBlocks; ++b) all.insert(all.end(), logits.begin(), logits.end());
  std::vector<uint8_t> draws(kBlocks * kDraws);
  DrawInputs<float> in{.layout = nm::make_layout({1, kBlocks * m, 1, 1}, {.n = kDraws, .m = m},
                                                 nm::Axis::kFlat, "test"),
                       .logits = all.data(),
                       .n_draws = kDraws,
                       .replace = replace,
                       .seed = 2024};
  Counts counts;
  for (in.step = 0; in.step < kSteps; ++in.step) {
    nm_draw_cpu(in, draws.data());
    for (size_t i = 0; i < draws.size(); i += kDraws)
      ++counts[nm::BlockBits{1} << draws[i] | nm::BlockBits{1} << draws[i + 1]];
  }
  return counts;
}

double chi_square(const Counts& counts, const Probabilities& probabilities) {
  double sum = 0;
  for (const auto& [bits, probability] : probabilities) {
    const double expected = probability * kBlocks * kSteps;
    const auto found = counts.find(bits);
    const double difference = (found == counts.end() ? 0 : found->second) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

// The value chi-square passes with probability 1e-4 (Wilson and Hilferty's approximation).
double critical_value(size_t n_cells) {
  constexpr double kNormalQuantile = 3.719016;
  const double freedom = static_cast<double>(n_cells - 1), spread = 2 / (9 * freedom);
  return freedom * std::pow(1 - spread + kNormalQuantile * std::sqrt(spread), 3);
}

struct Rule {
  size_t m;
  bool replace;
  size_t n_patterns;
};

class SamplerStatistics : public testing::TestWithParam<Rule> {};

TEST_P(SamplerStatistics, PatternsAppearWithTheirExactProbabilities) {
  const Rule rule = GetParam();
  const auto logits = test::normal_values<float>(rule.m, 0.7, 1);
  const Probabilities probabilities = pattern_probabilities(logits, rule.replace);
  ASSERT_EQ(probabilities.size(), rule.n_patterns);
  const Counts counts = count_patterns(logits, rule.replace);
  for (const auto& [bits, count] : counts) EXPECT_EQ(probabilities.count(bits), 1u) << bits;
  EXPECT_LT(chi_square(counts, probabilities), critical_value(rule.n_patterns));
}

// The statistic above must be able to fail.
TEST_P(SamplerStatistics, LogitsThatAreSlightlyOffAreNoticed) {
  const Rule rule = GetParam();
  auto logits = test::normal_values<float>(rule.m, 0.7, 1);
  const Counts counts = count_patterns(logits, rule.replace);
  logits[0] += 0.05f;
  EXPECT_GT(chi_square(counts, pattern_probabilities(logits, rule.replace)),
            critical_value(rule.n_patterns));
}

TEST_P(SamplerStatistics, FlatLogitsKeepTheExpectedShareOfWeights) {
  const Rule rule = GetParam();
  const double m = static_cast<double>(rule.m);
  int64_t kept = 0;
  for (const auto& [bits, count] : count_patterns(std::vector<float>(rule.m, 0), rule.replace))
    kept += std::popcount(bits) * count;
  const double density = static_cast<double>(kept) / (kBlocks * kSteps * m);
  // Two draws with replacement keep 1 - (1 - 1/M)^2: 43.75, 23.44, 12.11 %.
  EXPECT_NEAR(density, rule.replace ? 1 - std::pow(1 - 1 / m, 2) : 2 / m, 0.001);
}

INSTANTIATE_TEST_SUITE_P(AtMost, SamplerStatistics,
                         testing::Values(Rule{4, true, 10}, Rule{8, true, 36},
                                         Rule{16, true, 136}));
INSTANTIATE_TEST_SUITE_P(Exactly, SamplerStatistics,
                         testing::Values(Rule{4, false, 6}, Rule{8, false, 28},
                                         Rule{16, false, 120}));

}  // namespace
}  // namespace spikenm::kernels
