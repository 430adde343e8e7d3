// Random numbers are addressed, not drawn: a value depends on (seed, stream, step, index) alone,
// never on the thread, the batch or the device that asks for it. The generator is Philox 4x32-10
// [Salmon11], ten rounds of two 32x32->64 multiplications.
#pragma once

#include "spikenm/core/host_device.h"

#include <cstdint>

namespace spikenm {

// What a stream of numbers is for. The low 16 bits of a stream separate users of the same kind,
// such as layers.
enum class RandomUse : uint32_t {
  kWeightInit = 1,
  kLogitInit = 2,
  kMaskDraw = 3,
  kShuffle = 4,
  kSplit = 5,
  kScene = 6,
  kPixelNoise = 7,
  kRandomMask = 8,
  kAugment = 9,
  kMix = 10,
};

SPIKENM_HD uint32_t random_stream(RandomUse use, uint32_t which = 0) {
  return (static_cast<uint32_t>(use) << 16) | which;
}

// Full 64-bit product of two 32-bit words, as (high, low). Vector types overload this.
SPIKENM_HD void multiply_wide(uint32_t a, uint32_t b, uint32_t& high, uint32_t& low) {
  const uint64_t product = static_cast<uint64_t>(a) * b;
  high = static_cast<uint32_t>(product >> 32);
  low = static_cast<uint32_t>(product);
}

// Four words of type U: uint32_t, or a vector of them whose lanes are separate counters.
template <class U>
struct RandomWords {
  U word[4];
};

// Philox 4x32-10 on the counter (index low, index high, step, stream) with the seed as key.
template <class U>
SPIKENM_HD RandomWords<U> philox(uint64_t seed, uint32_t stream, uint32_t step, U index_low,
                                 U index_high) {
  U c0 = index_low, c1 = index_high, c2 = U(step), c3 = U(stream);
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    U high0, low0, high1, low1;
    multiply_wide(U(0xD2511F53u), c0, high0, low0);
    multiply_wide(U(0xCD9E8D57u), c2, high1, low1);
    c0 = high1 ^ c1 ^ U(k0);
    c1 = low1;
    c2 = high0 ^ c3 ^ U(k1);
    c3 = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

// One addressed stream, for code that wants numbers one at a time.
class RandomAddress {
 public:
  RandomAddress(uint64_t seed, uint32_t stream, uint32_t step = 0)
      : seed_(seed), stream_(stream), step_(step) {}

  // Words 4 * block to 4 * block + 3, for the cost of one.
  [[nodiscard]] RandomWords<uint32_t> words(uint64_t block) const {
    return philox<uint32_t>(seed_, stream_, step_, static_cast<uint32_t>(block),
                            static_cast<uint32_t>(block >> 32));
  }
  [[nodiscard]] uint32_t word(uint64_t index) const { return words(index / 4).word[index % 4]; }

  // Uniform in the open interval (0, 1).
  [[nodiscard]] double uniform(uint64_t index) const { return (word(index) + 0.5) / 4294967296.0; }

  [[nodiscard]] double uniform(uint64_t index, double low, double high) const {
    return low + (high - low) * uniform(index);
  }

  // Uniform in 0 .. n-1 for n < 2^32.
  [[nodiscard]] uint32_t below(uint64_t index, uint32_t n) const {
    return static_cast<uint32_t>((static_cast<uint64_t>(word(index)) * n) >> 32);
  }

  // Standard normal (Box-Muller); index i uses words 2i and 2i+1.
  [[nodiscard]] double normal(uint64_t index) const;

 private:
  uint64_t seed_;
  uint32_t stream_;
  uint32_t step_;
};

}  // namespace spikenm
