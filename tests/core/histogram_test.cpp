#include "spikenm/core/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace spikenm {
namespace {

TEST(Histogram, CountsEveryValueOnceBetweenTheEnds) {
  std::vector<float> values(401);
  std::iota(values.begin(), values.end(), -200.0F);
  const Histogram found = histogram_of(values);
  EXPECT_EQ(found.n, 401);
  EXPECT_EQ(found.min, -200);
  EXPECT_EQ(found.max, 200);
  EXPECT_EQ(found.sum, 0);
  EXPECT_EQ(found.sum_squares, 2 * 200.0 * 201 * 401 / 6);
  ASSERT_EQ(found.limits.size(), 40u);
  EXPECT_EQ(found.limits.front(), -190);
  EXPECT_EQ(found.limits.back(), 200);
  EXPECT_EQ(found.counts.front(), 10);
  EXPECT_EQ(found.counts.back(), 11) << "the largest value is in the last bucket";
  EXPECT_EQ(std::accumulate(found.counts.begin(), found.counts.end(), 0.0), 401);
}

TEST(Histogram, EqualValuesAreOneBucket) {
  const Histogram found = histogram_of(std::vector<float>(7, 0.5F));
  EXPECT_EQ(found.limits, std::vector<double>{0.5});
  EXPECT_EQ(found.counts, std::vector<double>{7});
}

TEST(Histogram, WhatIsNotFiniteDoesNotCount) {
  EXPECT_EQ(histogram_of({}).n, 0);
  const Histogram found = histogram_of(std::vector<float>{NAN, 1, -INFINITY, 2, INFINITY});
  EXPECT_EQ(found.n, 2);
  EXPECT_EQ(found.min, 1);
  EXPECT_EQ(found.max, 2);
  EXPECT_EQ(found.counts.front() + found.counts.back(), 2);
}

}  // namespace
}  // namespace spikenm
