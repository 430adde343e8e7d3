// Gumbel noise from random words, the same bits on every device: each rounding is explicit (fma
// where written, no contraction elsewhere), so a GPU and a CPU draw the same mask.
#pragma once

#include "spikenm/core/random.h"
#include "spikenm/kernels/math/value.h"

namespace spikenm::kernels {

// log(x) of a positive normal float, within 1.5 units in the last place.
// x = 2^e * m with m in [sqrt(1/2), sqrt(2)); log m by a polynomial in f = m - 1.
template <class V>
SPIKENM_HD V log_positive(V x) {
  const auto root_half = decltype(bits_of(x))(0x3f3504f3u);
  const auto one = decltype(bits_of(x))(0x3f800000u);
  const auto shifted = bits_of(x) - root_half;
  const V e = to_value(shift_signed_23(shifted));
  const V f = from_bits(bits_of(x) - (shifted & decltype(one)(0xff800000u))) - V(1.0);

  V p(7.0376836292e-2f);
  p = fused(p, f, V(-1.1514610310e-1f));
  p = fused(p, f, V(1.1676998740e-1f));
  p = fused(p, f, V(-1.2420140846e-1f));
  p = fused(p, f, V(1.4249322787e-1f));
  p = fused(p, f, V(-1.6668057665e-1f));
  p = fused(p, f, V(2.0000714765e-1f));
  p = fused(p, f, V(-2.4999993993e-1f));
  p = fused(p, f, V(3.3333331174e-1f));

  const V square = f * f;
  V tail = p * square * f;
  tail = fused(e, V(-2.12194440e-4f), tail);
  tail = fused(square, V(-0.5), tail);
  return fused(e, V(0.693359375), f + tail);
}

// Eq. (14): g = -log(-log u), u uniform in (0,1). u = (n + 1/2) / 2^23 is exact in a float and
// never rounds to 0 or 1, with n the upper 23 bits of the word.
template <class V, class U>
SPIKENM_HD V gumbel(U word) {
  const V u = (to_value(word >> 9) + V(0.5)) * V(1.1920928955078125e-7);
  const V exponential = V(0.0) - log_positive(u);
  return V(0.0) - log_positive(exponential);
}

// The counter of the four words that hold positions 4j..4j+3 of draw k of block b. It depends on m
// but not on the number of draws, so a change of that number leaves the earlier draws as they were.
SPIKENM_HD uint64_t gumbel_counter(int64_t b, int32_t k, int32_t j, int32_t m) {
  const uint64_t words = static_cast<uint64_t>((m + 3) / 4);
  return (static_cast<uint64_t>(b) * static_cast<uint64_t>(m) + static_cast<uint64_t>(k)) * words +
         static_cast<uint64_t>(j);
}

}  // namespace spikenm::kernels
