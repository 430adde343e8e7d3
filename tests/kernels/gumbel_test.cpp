#include "spikenm/kernels/math/gumbel.h"

#include "spikenm/kernels/cpu/table.h"
#include "spikenm/kernels/nm_sample.h"
#include "support/compare.h"

#include <algorithm>
#include <limits>

namespace spikenm::kernels {
namespace {

using test::all_identical;

// Error of log_positive(x) in units in the last place of the true logarithm.
double log_error(float x) {
  const double wanted = std::log(static_cast<double>(x));
  const int exponent = std::max(std::ilogb(wanted), -126);
  return std::abs(log_positive(x) - wanted) / std::ldexp(1.0, exponent - 23);
}

// All 2^23 uniforms, and the exponentials that the second logarithm of Eq. (14) meets.
TEST(Gumbel, LogIsWithinOneAndAHalfUlpOnEverythingADrawCanMeet) {
  double worst_uniform = 0, worst_exponential = 0;
  for (uint32_t n = 0; n < (1u << 23); ++n) {
    const float u = (static_cast<float>(n) + 0.5f) * 0x1p-23f;
    ASSERT_GT(u, 0.0f);
    ASSERT_LT(u, 1.0f);
    worst_uniform = std::max(worst_uniform, log_error(u));
    worst_exponential = std::max(worst_exponential, log_error(-log_positive(u)));
  }
  EXPECT_LT(worst_uniform, 1.5);
  EXPECT_LT(worst_exponential, 1.5);
}

TEST(Gumbel, LogIsWithinOneAndAHalfUlpOverAllNormalFloats) {
  const uint32_t last = bits_of(std::numeric_limits<float>::max());
  double worst = 0;
  for (uint32_t bits = bits_of(std::numeric_limits<float>::min()); bits < last; bits += 997)
    worst = std::max(worst, log_error(from_bits(bits)));
  EXPECT_LT(worst, 1.5);
  EXPECT_EQ(log_positive(1.0f), 0.0f);
}

TEST(Gumbel, ExtremeWordsGiveFiniteNoiseInTheTails) {
  const float lowest = gumbel<float>(0u), highest = gumbel<float>(0xffffffffu);
  EXPECT_NEAR(lowest, -std::log(24 * std::log(2.0)), 1e-6);
  EXPECT_NEAR(highest, 24 * std::log(2.0), 1e-5);
}

TEST(Gumbel, NoiseRisesWithTheWord) {
  float before = gumbel<float>(0u);
  for (uint32_t n = 1000; n < (1u << 23); n += 1000) {
    const float now = gumbel<float>(n << 9);
    ASSERT_GT(now, before) << "at word " << (n << 9);
    before = now;
  }
}

std::vector<float> fill(int64_t n, void (*kernel)(const GumbelFill&)) {
  std::vector<uint32_t> low(static_cast<size_t>(n)), high(low.size());
  for (size_t i = 0; i < low.size(); ++i) {
    low[i] = static_cast<uint32_t>(i) * 2654435761u;
    high[i] = static_cast<uint32_t>(i % 3);
  }
  std::vector<float> out(static_cast<size_t>(4 * n));
  kernel({.seed = 0x123456789abcdefULL,
          .stream = 5,
          .step = 9,
          .n = n,
          .index_low = low.data(),
          .index_high = high.data(),
          .out = out.data()});
  return out;
}

TEST(Gumbel, EveryInstructionSetFillsTheSameBits) {
  for (const Isa isa : supported_isas())
    for (const int64_t n : {0, 1, 7, 8, 9, 15, 16, 17, 1000})
      EXPECT_TRUE(all_identical(fill(n, cpu_kernels(isa).gumbel_fill), fill(n, gumbel_fill_ref)))
          << isa_name(isa) << ", n = " << n;
}

TEST(Gumbel, FilledNoiseHasTheMeanAndVarianceOfTheDistribution) {
  const std::vector<float> noise = fill(100000, gumbel_fill_ref);
  double sum = 0, squares = 0;
  for (const float g : noise) {
    sum += g;
    squares += static_cast<double>(g) * g;
  }
  const double n = static_cast<double>(noise.size()), mean = sum / n;
  EXPECT_NEAR(mean, 0.5772157, 0.01);                       // Euler's constant
  EXPECT_NEAR(squares / n - mean * mean, 1.6449341, 0.04);  // pi^2 / 6
}

TEST(Gumbel, EveryPositionOfEveryDrawHasItsOwnCounter) {
  for (const int32_t m : {1, 3, 4, 5, 64}) {
    const int32_t words = (m + 3) / 4;
    uint64_t wanted = 0;
    for (int64_t b = 0; b < 3; ++b)
      for (int32_t k = 0; k < m; ++k)
        for (int32_t j = 0; j < words; ++j) EXPECT_EQ(gumbel_counter(b, k, j, m), wanted++);
  }
}

}  // namespace
}  // namespace spikenm::kernels
