#include "spikenm/report/statistic.h"

#include <gtest/gtest.h>

#include <vector>

namespace spikenm::report {
namespace {

TEST(Statistic, SpreadIsTheSampleStandardDeviation) {
  // Mean 4; squares 9 + 1 + 4 + 0 + 4 + 0 = 18 over n - 1 = 5; the root of 3.6.
  const auto found = summarize(std::vector<double>{1, 3, 6, 4, 6, 4});
  ASSERT_TRUE(found && found->spread);
  EXPECT_DOUBLE_EQ(found->mean, 4);
  EXPECT_NEAR(*found->spread, 1.8973665961010275, 1e-12);
  EXPECT_EQ(found->n, 6u);
}

TEST(Statistic, OneValueHasNoSpreadAndNoneHasNothing) {
  const auto one = summarize(std::vector<double>{2.5});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->mean, 2.5);
  EXPECT_FALSE(one->spread);
  EXPECT_FALSE(summarize({}));
}

TEST(Statistic, TextHasTheSpreadOnlyWhereThereIsOne) {
  EXPECT_EQ(to_text({.mean = 83.904, .spread = 0.125, .n = 3}), "83.90 ± 0.12");
  EXPECT_EQ(to_text({.mean = 83.904, .spread = std::nullopt, .n = 1}), "83.90");
  EXPECT_EQ(to_text({.mean = 50, .spread = 0.004, .n = 3}), "50.00");
}

}  // namespace
}  // namespace spikenm::report
