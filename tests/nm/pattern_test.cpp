#include "spikenm/nm/pattern.h"

#include "spikenm/nm/mask.h"
#include "support/expect_error.h"

#include <algorithm>
#include <bit>
#include <set>

namespace spikenm::nm {
namespace {

// Calls visit(draws) for all m^n ways to draw n positions out of m, repeats allowed.
template <class Visit>
void for_each_draw(int n, int m, Visit&& visit) {
  std::vector<int> draws(static_cast<size_t>(n), 0);
  while (true) {
    visit(draws);
    size_t digit = 0;
    while (digit < draws.size() && ++draws[digit] == m) draws[digit++] = 0;
    if (digit == draws.size()) return;
  }
}

// Draws as sorted lists suffice where m^n is too many: the probabilistic sum does not see their
// order.
template <class Visit>
void for_each_sorted_draw(int n, int m, Visit&& visit) {
  std::vector<int> draws(static_cast<size_t>(n), 0);
  while (true) {
    visit(draws);
    size_t digit = draws.size();
    while (digit > 0 && draws[digit - 1] == m - 1) --digit;
    if (digit == 0) return;
    std::fill(draws.begin() + static_cast<ptrdiff_t>(digit) - 1, draws.end(), draws[digit - 1] + 1);
  }
}

std::set<BlockBits> masks_with_at_most(int n, int m) {
  std::set<BlockBits> masks;
  for (BlockBits bits = 1; bits < BlockBits{1} << m; ++bits) {
    if (std::popcount(bits) <= n) masks.insert(bits);
  }
  return masks;
}

// Theorem 4.1 by enumeration.
TEST(NmPattern, DrawsReachExactlyTheMasksWithAtMostNOnes) {
  for (int m = 1; m <= 8; ++m) {
    for (int n = 1; n <= m; ++n) {
      std::set<BlockBits> reached;
      for_each_sorted_draw(
          n, m, [&](const std::vector<int>& draws) { reached.insert(probabilistic_sum(draws)); });
      EXPECT_EQ(reached, masks_with_at_most(n, m)) << n << ":" << m;
    }
  }
}

TEST(NmPattern, OrderedDrawsReachNoOtherMasks) {
  for (int m = 1; m <= 6; ++m) {
    for (int n = 1; n <= m; ++n) {
      std::set<BlockBits> reached;
      for_each_draw(
          n, m, [&](const std::vector<int>& draws) { reached.insert(probabilistic_sum(draws)); });
      EXPECT_EQ(reached, masks_with_at_most(n, m)) << n << ":" << m;
    }
  }
}

TEST(NmPattern, DistinctDrawsKeepExactlyN) {
  for (int m = 1; m <= 8; ++m) {
    for (int n = 1; n <= m; ++n) {
      for_each_sorted_draw(n, m, [&](const std::vector<int>& draws) {
        const bool distinct = std::adjacent_find(draws.begin(), draws.end()) == draws.end();
        EXPECT_EQ(std::popcount(probabilistic_sum(draws)) == n, distinct) << n << ":" << m;
      });
    }
  }
}

TEST(NmPattern, ListHoldsEveryMaskOnceByOnesThenValue) {
  for (int m = 1; m <= 8; ++m) {
    for (int n = 1; n <= m; ++n) {
      const NmPattern pattern{.n = n, .m = m};
      const std::set<BlockBits> wanted = masks_with_at_most(n, m);
      std::vector<BlockBits> sorted(wanted.begin(), wanted.end());
      std::stable_sort(sorted.begin(), sorted.end(), [](BlockBits a, BlockBits b) {
        return std::popcount(a) < std::popcount(b);
      });
      EXPECT_EQ(enumerate_at_most(pattern), sorted) << pattern.text();
      EXPECT_EQ(count_at_most(pattern), sorted.size()) << pattern.text();
    }
  }
}

TEST(NmPattern, CountsAreThePapers) {
  EXPECT_EQ(count_at_most({.n = 2, .m = 4}), 10u);
  EXPECT_EQ(count_at_most({.n = 2, .m = 8}), 36u);
  EXPECT_EQ(count_at_most({.n = 2, .m = 16}), 136u);
}

TEST(NmPattern, CountOfTheLargestPatternIsExact) {
  EXPECT_EQ(binomial(64, 32), 1832624140942590534u);
  EXPECT_EQ(count_at_most({.n = 64, .m = 64}), UINT64_MAX);  // 2^64 - 1
}

TEST(NmPattern, BinomialIsZeroOutsideTheTriangle) {
  EXPECT_EQ(binomial(4, 5), 0u);
  EXPECT_EQ(binomial(4, -1), 0u);
  EXPECT_EQ(binomial(0, 0), 1u);
}

TEST(NmPattern, RankInvertsUnrank) {
  for (const NmPattern pattern :
       {NmPattern{.n = 1, .m = 1}, NmPattern{.n = 2, .m = 4}, NmPattern{.n = 8, .m = 8},
        NmPattern{.n = 4, .m = 16}, NmPattern{.n = 2, .m = 63}, NmPattern{.n = 2, .m = 64}}) {
    for (uint64_t place = 0; place < count_at_most(pattern); ++place) {
      const BlockBits bits = unrank(pattern, place);
      ASSERT_EQ(rank(pattern, bits), place) << pattern.text();
      ASSERT_LE(std::popcount(bits), pattern.n) << pattern.text();
    }
  }
}

TEST(NmPattern, LastPlaceOfTheWidestBlockHoldsItsTopPositions) {
  const NmPattern pattern{.n = 2, .m = 64};
  EXPECT_EQ(unrank(pattern, count_at_most(pattern) - 1), BlockBits{3} << 62);
}

TEST(NmPattern, PlacesOutsideTheListAreBugs) {
  EXPECT_THROW(unrank({.n = 2, .m = 4}, 10), Bug);
  EXPECT_THROW(unrank({.n = 4, .m = 4}, 15), Bug);
}

TEST(NmPattern, MasksOutsideTheListAreBugs) {
  EXPECT_THROW(rank({.n = 2, .m = 4}, 0), Bug);
  EXPECT_THROW(rank({.n = 2, .m = 4}, 0b0111), Bug);
}

TEST(NmPattern, TooLongAListIsRefused) {
  EXPECT_ERROR(enumerate_at_most({.n = 32, .m = 64}), "32:64", "too many");
}

TEST(NmPattern, ParseReadsBackItsText) {
  const NmPattern pattern = NmPattern::parse("8:64", "conv1", 4);
  EXPECT_EQ(pattern, (NmPattern{.n = 8, .m = 64, .share = 4}));
  EXPECT_EQ(pattern.text(), "8:64");
}

TEST(NmPattern, BlockMayKeepEverything) {
  EXPECT_EQ(NmPattern::parse("4:4", "conv1"), (NmPattern{.n = 4, .m = 4}));
}

TEST(NmPattern, ParseRefusesWhatIsNotAPattern) {
  for (const char* text : {"", ":", "2", "2:", ":4", "2:4x", "x2:4", " 2:4", "2: 4", "2/4", "2:4:8",
                           "2.0:4", "99999999999:4", "2:99999999999"}) {
    EXPECT_ERROR(NmPattern::parse(text, "conv1"), "conv1", text, "2:4");
  }
}

TEST(NmPattern, ParseRefusesSizesOutOfRange) {
  for (const char* text : {"0:4", "0:0", "2:0", "-1:4", "2:65", "2:-4"}) {
    EXPECT_ERROR(NmPattern::parse(text, "conv1"), "conv1", text, "64");
  }
  EXPECT_ERROR(NmPattern::parse("2:4", "conv1", 0), "conv1", "share 0");
}

TEST(NmPattern, ParseRefusesMoreKeptThanABlockHolds) {
  EXPECT_ERROR(NmPattern::parse("5:4", "conv1"), "conv1", "5:4", "block of 4");
}

}  // namespace
}  // namespace spikenm::nm
