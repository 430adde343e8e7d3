#include "spikenm/report/student_t.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace spikenm::report {
namespace {

// As printed in tables of the distribution.
TEST(StudentT, QuantilesAreThoseOfTheTables) {
  for (const auto& [freedom, wanted] :
       {std::pair{1, 12.706}, std::pair{2, 4.303}, std::pair{3, 3.182}, std::pair{4, 2.776},
        std::pair{5, 2.571}, std::pair{9, 2.262}, std::pair{10, 2.228}, std::pair{30, 2.042},
        std::pair{120, 1.980}})
    EXPECT_NEAR(t_quantile_95(static_cast<size_t>(freedom)), wanted, 6e-4) << freedom;
}

// One degree is Cauchy's: 2/pi atan x. Two degrees: x / sqrt(x^2 + 2).
TEST(StudentT, ProbabilitiesAreTheClosedFormsOfOneAndTwoDegrees) {
  EXPECT_NEAR(t_within(1, 1), 0.5, 1e-12);
  EXPECT_NEAR(t_within(2, 2), 0.816496580927726, 1e-12);
  EXPECT_EQ(t_within(0, 7), 0);
  EXPECT_NEAR(t_within(1.96, 100'000), 0.95, 1e-4);  // the normal's
}

TEST(StudentT, TheIntervalOfAMeanShrinksWithTheNumberOfValues) {
  // Spread 1 of five values: 2.776 / sqrt(5).
  const auto five = half_width_95({.mean = 0, .spread = 1, .n = 5});
  ASSERT_TRUE(five);
  EXPECT_NEAR(*five, 1.2417, 1e-4);
  EXPECT_FALSE(half_width_95({.mean = 3, .spread = std::nullopt, .n = 1}));
}

}  // namespace
}  // namespace spikenm::report
