#include "spikenm/core/random.h"

#include "spikenm/core/parallel.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace spikenm {
namespace {

using Words = std::array<uint32_t, 4>;

Words philox_of(const Words& counter, uint64_t key) {
  const RandomWords<uint32_t> words =
      philox<uint32_t>(key, counter[3], counter[2], counter[0], counter[1]);
  return {words.word[0], words.word[1], words.word[2], words.word[3]};
}

// [Salmon11] known answers of Philox 4x32-10, from Random123's kat_vectors.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox_of({0, 0, 0, 0}, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox_of({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffff),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox_of({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, TellsUsesAndUsersApart) {
  std::set<uint32_t> streams;
  for (uint32_t use = 1; use <= 8; ++use) {
    for (const uint32_t which : {0u, 1u, 0xffffu})
      streams.insert(random_stream(static_cast<RandomUse>(use), which));
  }
  EXPECT_EQ(streams.size(), 24u);
}

TEST(RandomAddress, FourWordsShareOneCounter) {
  const RandomAddress random(11, 5, 3);
  for (uint64_t index :
       {uint64_t{0}, uint64_t{1} << 33}) {  // the second needs the high counter word
    const uint64_t block = index / 4;
    const Words words =
        philox_of({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 3, 5}, 11);
    for (uint64_t k = 0; k < 4; ++k) EXPECT_EQ(random.word(index + k), words[k]);
  }
}

TEST(RandomAddress, HighIndicesDoNotWrap) {
  const RandomAddress random(1, 1);
  EXPECT_NE(random.word(0), random.word(uint64_t{1} << 34));
}

TEST(RandomAddress, ValueDependsOnEveryPartOfTheAddress) {
  const uint32_t base = RandomAddress(1, 2, 3).word(4);
  EXPECT_NE(RandomAddress(9, 2, 3).word(4), base);
  EXPECT_NE(RandomAddress(1 | uint64_t{1} << 40, 2, 3).word(4), base);
  EXPECT_NE(RandomAddress(1, 9, 3).word(4), base);
  EXPECT_NE(RandomAddress(1, 2, 9).word(4), base);
  EXPECT_NE(RandomAddress(1, 2, 3).word(9), base);
}

TEST(RandomAddress, ValueDependsOnNeitherThreadNorOrder) {
  constexpr int64_t kCount = 1000;
  const RandomAddress random(3, random_stream(RandomUse::kMaskDraw));
  std::vector<double> backwards(kCount), threaded(kCount);
  for (int64_t i = kCount - 1; i >= 0; --i)
    backwards[static_cast<size_t>(i)] = random.normal(static_cast<uint64_t>(i));
  set_threads(2);
  parallel_for(kCount, 7, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      threaded[static_cast<size_t>(i)] = random.normal(static_cast<uint64_t>(i));
  });
  set_threads(0);
  EXPECT_EQ(threaded, backwards);
}

TEST(RandomAddress, UniformStaysInsideItsOpenInterval) {
  const RandomAddress random(5, 1);
  double low = 1, high = 0, sum = 0;
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i) {
    const double u = random.uniform(static_cast<uint64_t>(i));
    low = std::min(low, u);
    high = std::max(high, u);
    sum += u;
  }
  EXPECT_GT(low, 0.0);
  EXPECT_LT(high, 1.0);
  EXPECT_LT(low, 1e-3);  // and fills it
  EXPECT_GT(high, 1 - 1e-3);
  EXPECT_NEAR(sum / kCount, 0.5, 5 * std::sqrt(1.0 / 12 / kCount));
}

TEST(RandomAddress, UniformScalesToItsBounds) {
  const RandomAddress random(5, 1);
  EXPECT_DOUBLE_EQ(random.uniform(3, -2.0, 6.0), -2.0 + 8.0 * random.uniform(3));
}

TEST(RandomAddress, BelowReachesEveryValueEqually) {
  const RandomAddress random(6, 1);
  constexpr int kCount = 70'000;
  std::array<int, 7> hits{};
  for (int i = 0; i < kCount; ++i) ++hits.at(random.below(static_cast<uint64_t>(i), 7));
  for (const int n : hits) EXPECT_NEAR(n, kCount / 7, 5 * std::sqrt(kCount / 7.0));
}

TEST(RandomAddress, BelowOneIsZero) {
  EXPECT_EQ(RandomAddress(6, 1).below(123, 1), 0u);
}

TEST(RandomAddress, NormalHasTheMomentsOfANormal) {
  const RandomAddress random(7, 1);
  constexpr int kCount = 100'000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal(static_cast<uint64_t>(i));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / kCount, 0.0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1.0, 5 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(fourth / kCount, 3.0, 5 * std::sqrt(96.0 / kCount));
}

}  // namespace
}  // namespace spikenm
