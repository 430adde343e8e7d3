#include "spikenm/nm/pattern.h"

#include "spikenm/core/error.h"

#include <bit>
#include <charconv>
#include <limits>

namespace spikenm::nm {

NmPattern NmPattern::parse(std::string_view text, std::string_view what, int share) {
  NmPattern pattern{.n = 0, .m = 0, .share = share};
  const char* const end = text.data() + text.size();
  const auto left = std::from_chars(text.data(), end, pattern.n);
  bool good = left.ec == std::errc() && left.ptr != end && *left.ptr == ':';
  if (good) {
    const auto right = std::from_chars(left.ptr + 1, end, pattern.m);
    good = right.ec == std::errc() && right.ptr == end;
  }

  SPIKENM_CHECK(good, "{}: found '{}', wanted a pattern such as 2:4", what, text);
  SPIKENM_CHECK(pattern.n >= 1 && pattern.m >= 1 && pattern.m <= kMaxM,
                "{}: found {}, wanted n:m with n at least 1 and m at most {}", what, text, kMaxM);
  SPIKENM_CHECK(pattern.n <= pattern.m,
                "{}: found {}, which keeps more weights than a block of {} holds", what, text,
                pattern.m);
  SPIKENM_CHECK(share >= 1, "{}: found share {}, wanted 1 or more", what, share);
  return pattern;
}

std::string NmPattern::text() const {
  return fmt::format("{}:{}", n, m);
}

uint64_t binomial(int m, int k) {
  if (k < 0 || k > m) return 0;
  unsigned __int128 value = 1;
  for (int i = 1; i <= k; ++i) {
    value = value * static_cast<unsigned>(m - k + i) / static_cast<unsigned>(i);
    if (value > std::numeric_limits<uint64_t>::max()) return std::numeric_limits<uint64_t>::max();
  }
  return static_cast<uint64_t>(value);
}

// Eq. (9): the number of candidates is sum_{k=1}^{N} C(M,k): 10, 36, 136 for 2:4, 2:8, 2:16.
uint64_t count_at_most(const NmPattern& pattern) {
  uint64_t count = 0;
  for (int k = 1; k <= pattern.n; ++k) {
    if (__builtin_add_overflow(count, binomial(pattern.m, k), &count))
      return std::numeric_limits<uint64_t>::max();
  }
  return count;
}

// Among masks with the same number of ones, the order by value is the combinatorial ("colex")
// order: the mask with ones at s_1 < … < s_k has the place sum_j C(s_j, j).
uint64_t rank(const NmPattern& pattern, BlockBits bits) {
  const int ones = std::popcount(bits);
  SPIKENM_ASSERT(ones >= 1 && ones <= pattern.n);
  uint64_t place = 0;
  for (int k = 1; k < ones; ++k) place += binomial(pattern.m, k);
  for (int j = 1; bits != 0; ++j, bits &= bits - 1) place += binomial(std::countr_zero(bits), j);
  return place;
}

BlockBits unrank(const NmPattern& pattern, uint64_t place) {
  int ones = 1;
  while (ones <= pattern.n && place >= binomial(pattern.m, ones))
    place -= binomial(pattern.m, ones++);
  SPIKENM_ASSERT(ones <= pattern.n);
  BlockBits bits = 0;

  int s = pattern.m - 1;
  for (int j = ones; j >= 1; --j) {
    while (binomial(s, j) > place) --s;
    place -= binomial(s, j);
    bits |= BlockBits{1} << s;
  }
  return bits;
}

// Eq. (8): the candidates are the masks with 1 <= |M|_0 <= N.
std::vector<BlockBits> enumerate_at_most(const NmPattern& pattern) {
  const uint64_t count = count_at_most(pattern);
  SPIKENM_CHECK(count <= 10'000'000, "pattern {}: has {} masks, too many to list", pattern.text(),
                count);
  std::vector<BlockBits> masks(count);
  for (uint64_t i = 0; i < count; ++i) masks[i] = unrank(pattern, i);
  return masks;
}

}  // namespace spikenm::nm
