// What "N of M" means: a block of m weights keeps at most n of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::nm {

// Bits of one block: bit s is set when position s is kept. m is at most 64.
using BlockBits = uint64_t;

struct NmPattern {
  int n = 2;
  int m = 4;
  int share = 1;  // consecutive output channels that share one mask (1 = the paper's)

  static constexpr int kMaxM = 64;

  // "2:4". An Error names `what` (a key or a layer) when the text is not n:m with 1 <= n <= m
  // <= 64.
  static NmPattern parse(std::string_view text, std::string_view what, int share = 1);

  [[nodiscard]] std::string text() const;  // "2:4"
  friend bool operator==(const NmPattern&, const NmPattern&) = default;
};

// C(m, k) for 0 <= k <= m <= 64; saturates at the largest uint64_t.
uint64_t binomial(int m, int k);

// |S^{N:M}|, the number of masks with 1..n ones.
uint64_t count_at_most(const NmPattern& pattern);

// All masks with 1..n ones, by number of ones, then by value of the bits.
std::vector<BlockBits> enumerate_at_most(const NmPattern& pattern);

// The place of `bits` in that list, and the mask at a place; neither builds the list.
uint64_t rank(const NmPattern& pattern, BlockBits bits);
BlockBits unrank(const NmPattern& pattern, uint64_t place);

}  // namespace spikenm::nm
