#include "spikenm/kernels/sop_count.h"

#include "spikenm/core/parallel.h"
#include "support/compare.h"
#include "support/normal_values.h"

namespace spikenm::kernels {
namespace {

template <class T>
class SopCount : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(SopCount, Reals);

// Blocks are 1024 places, parts 16 samples or 32768 values.
constexpr int64_t kPlaces[] = {1, 3, 10, 17, 1023, 1024, 1025, 3001};
constexpr int64_t kSamples[] = {1, 3, 15, 16, 17, 40};

// Reach from 0 to 6, other at every place.
std::vector<float> reach_for(int64_t places) {
  std::vector<float> reach(static_cast<size_t>(places));
  for (size_t i = 0; i < reach.size(); ++i) reach[i] = static_cast<float>(i * 5 % 7);
  return reach;
}

// Quarters from 0 to 2: spikes, fractions and sums, all exact.
template <class T>
std::vector<T> quarters(int64_t n) {
  std::vector<T> values = test::normal_values<T>(static_cast<size_t>(n), 1, 3);
  for (T& v : values) v = std::min(T(2), std::max(T(0), std::round(v * 4) / 4));
  return values;
}

template <class T>
double plain_count(int64_t samples, int64_t places, const std::vector<T>& x,
                   const std::vector<float>& reach) {
  double sum = 0;
  for (int64_t s = 0; s < samples; ++s)
    for (int64_t i = 0; i < places; ++i)
      sum += static_cast<double>(x[static_cast<size_t>(s * places + i)]) *
             reach[static_cast<size_t>(i)];
  return sum;
}

// Reach 3, 5, 7: the first sample has spikes at the outer places, the second at the last two.
TYPED_TEST(SopCount, IsSpikesTimesReach) {
  const std::vector<TypeParam> x{1, 0, 1, 0, 1, 1};
  const std::vector<float> reach{3, 5, 7};
  EXPECT_EQ(sop_count<TypeParam>(2, 3, x.data(), reach.data()), 3 + 7 + 5 + 7);
}

TYPED_TEST(SopCount, EqualsPlainLoopsAtEverySize) {
  for (const int64_t places : kPlaces)
    for (const int64_t samples : kSamples) {
      SCOPED_TRACE(testing::Message() << samples << " samples of " << places);
      const std::vector<TypeParam> x = quarters<TypeParam>(samples * places);
      const std::vector<float> reach = reach_for(places);
      EXPECT_EQ(sop_count<TypeParam>(samples, places, x.data(), reach.data()),
                plain_count(samples, places, x, reach));
    }
}

TYPED_TEST(SopCount, OfNothingIsZero) {
  const std::vector<float> reach(4, 1);
  EXPECT_EQ(sop_count<TypeParam>(0, 4, nullptr, reach.data()), 0);
  EXPECT_EQ(sop_count<TypeParam>(4, 0, nullptr, nullptr), 0);
}

// An odd number above 2^32, of which float holds no more than the first 24 bits.
TYPED_TEST(SopCount, IsExactBeyondFloat) {
  const std::vector<TypeParam> x(size_t{513} * 1025, 1);
  const std::vector<float> reach(1025, 8191);
  EXPECT_EQ(sop_count<TypeParam>(513, 1025, x.data(), reach.data()), 513.0 * 1025 * 8191);
}

TYPED_TEST(SopCount, IsTheSameBitsForAnyNumberOfThreads) {
  const auto x = test::normal_values<TypeParam>(size_t{100} * 1111, 1, 1);
  const std::vector<float> reach = reach_for(1111);
  std::vector<double> found;
  for (const int n : {1, 2, 5}) {
    set_threads(n);
    found.push_back(sop_count<TypeParam>(100, 1111, x.data(), reach.data()));
  }
  set_threads(0);
  EXPECT_TRUE(test::all_identical(found, std::vector<double>(3, found[0])));
  EXPECT_NEAR(found[0], plain_count(100, 1111, x, reach), 1e-8);
}

// Rows 1 0 -2 and 0 0 5 beside a count of 7 that is there already.
TYPED_TEST(SopCount, LiveWeightsAreAddedUpOverOutputs) {
  const std::vector<TypeParam> w{1, 0, -2, TypeParam(-0.0), 0, TypeParam(1e-30)};
  std::vector<float> live{7, 7, 7};
  count_live<TypeParam>(2, 3, w.data(), live.data());
  EXPECT_TRUE(test::all_identical(live, {8, 7, 9}));
  count_live<TypeParam>(0, 3, nullptr, live.data());
  count_live<TypeParam>(2, 0, nullptr, nullptr);
  EXPECT_TRUE(test::all_identical(live, {8, 7, 9}));
}

TYPED_TEST(SopCount, LiveWeightsOfEverySizeEqualPlainLoops) {
  for (const int64_t inputs : kPlaces)
    for (const int64_t outputs : {1, 3, 64, 65}) {
      SCOPED_TRACE(testing::Message() << outputs << " outputs of " << inputs);
      const std::vector<TypeParam> w = quarters<TypeParam>(outputs * inputs);
      std::vector<float> live(static_cast<size_t>(inputs)), wanted(static_cast<size_t>(inputs));
      for (size_t i = 0; i < w.size(); ++i)
        if (w[i] != 0) ++wanted[i % static_cast<size_t>(inputs)];
      count_live<TypeParam>(outputs, inputs, w.data(), live.data());
      EXPECT_TRUE(test::all_identical(live, wanted));
    }
}

}  // namespace
}  // namespace spikenm::kernels
