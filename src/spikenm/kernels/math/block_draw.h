// One block: the values it is drawn by, its Gumbel-max draws, and softmax. Plain loops over m <= 64
// positions, for the host and for CUDA.
#pragma once

#include "spikenm/kernels/math/gumbel.h"
#include "spikenm/kernels/nm_sample.h"

#include <type_traits>

namespace spikenm::kernels {

// How the weights of a layer's blocks lie in memory: contiguous, at strides, or at strides in
// several weight blocks (of channels, taps or both) that share a mask.
enum class Lie { kTogether, kStrided, kShared };

// What the compiler knows about the blocks of a launch: with a known m their values stay in a GPU's
// registers, and contiguous blocks are read in wide words.
template <int kKnownM, Lie kLie>
struct BlockKind {
  static constexpr int kM = kKnownM;  // 0: only the layout knows m
  static constexpr bool kTogether = kLie == Lie::kTogether, kShared = kLie == Lie::kShared;
  static constexpr int kRoom = kM > 0 ? kM : nm::NmPattern::kMaxM;
  using Bits = std::conditional_t<(kM > 0 && kM <= 32), uint32_t, uint64_t>;  // one per position

  static SPIKENM_HD int32_t m(const nm::BlockLayout& layout) { return kM > 0 ? kM : layout.m; }
};
using AnyBlock = BlockKind<0, Lie::kShared>;

// Where a block's weights lie: position s of the i-th weight block that shares its mask is at(i, s).
template <class Kind>
struct BlockPlace {
  const nm::BlockLayout& layout;
  int64_t start;
  int32_t members;

  SPIKENM_HD BlockPlace(const nm::BlockLayout& of, int64_t b)
      : layout(of),
        start(Kind::kTogether ? b * Kind::kM : of.start(b)),
        members(Kind::kShared ? of.members_of(b) : 1) {}
  SPIKENM_HD int64_t at(int32_t i, int32_t s) const {
    if constexpr (Kind::kTogether) return start + s;
    const int64_t first = Kind::kShared ? start + layout.member(i) : start;
    return first + s * layout.position_stride;
  }
};

// to[s] = from[s] for a row of m.
template <class Kind, class T>
SPIKENM_HD void load_row(const nm::BlockLayout& layout, const T* from, T* to) {
#if defined(__CUDA_ARCH__)
  if constexpr (Kind::kM > 0 && Kind::kM % 4 == 0 && sizeof(T) == 4) {
    SPIKENM_UNROLL
    for (int32_t s = 0; s < Kind::kM; s += 4) {
      const float4 four = *reinterpret_cast<const float4*>(from + s);
      to[s] = four.x;
      to[s + 1] = four.y;
      to[s + 2] = four.z;
      to[s + 3] = four.w;
    }
    return;
  }
#endif
  for (int32_t s = 0; s < Kind::m(layout); ++s) to[s] = from[s];
}
template <class Kind, class T>
SPIKENM_HD void store_row(const nm::BlockLayout& layout, const T* from, T* to) {
#if defined(__CUDA_ARCH__)
  if constexpr (Kind::kM > 0 && Kind::kM % 4 == 0 && sizeof(T) == 4) {
    SPIKENM_UNROLL
    for (int32_t s = 0; s < Kind::kM; s += 4)
      *reinterpret_cast<float4*>(to + s) =
          make_float4(from[s], from[s + 1], from[s + 2], from[s + 3]);
    return;
  }
#endif
  for (int32_t s = 0; s < Kind::m(layout); ++s) to[s] = from[s];
}

// sums[s] = sum over the weight blocks that share the mask of term(value of each array there).
template <class Kind, class T, class Term, class... Arrays>
SPIKENM_HD void sum_members(const nm::BlockLayout& layout, int64_t b, T* sums, Term&& term,
                            const Arrays*... arrays) {
  const BlockPlace<Kind> place(layout, b);
  if constexpr (Kind::kTogether) {
    T rows[sizeof...(arrays)][Kind::kRoom];
    int row = 0;
    (load_row<Kind>(layout, arrays + place.start, rows[row++]), ...);
    SPIKENM_UNROLL
    for (int32_t s = 0; s < Kind::kM; ++s) {
      if constexpr (sizeof...(arrays) == 1) sums[s] = term(rows[0][s]);
      if constexpr (sizeof...(arrays) == 2) sums[s] = term(rows[0][s], rows[1][s]);
    }
    return;
  }

  SPIKENM_UNROLL
  for (int32_t s = 0; s < Kind::m(layout); ++s) {
    T sum = term(arrays[place.at(0, s)]...);
    for (int32_t i = 1; Kind::kShared && i < place.members; ++i)
      sum += term(arrays[place.at(i, s)]...);
    sums[s] = sum;
  }
}

SPIKENM_HD double log_positive(double x) {
  return __builtin_log(x);
}

// values[s] = theta_s + kappa log max(|w_s|, 1e-8).
template <class Kind, class T>
SPIKENM_HD void load_block_values(const DrawInputs<T>& in, int64_t b, T* values) {
  const int32_t m = Kind::m(in.layout);
  load_row<Kind>(in.layout, in.logits + b * m, values);
  if (in.kappa == T(0)) return;

  const T members = T(Kind::kShared ? in.layout.members_of(b) : 1);
  T sums[Kind::kRoom];
  sum_members<Kind>(in.layout, b, sums, [](T w) { return absolute(w); }, in.weight);
  SPIKENM_UNROLL
  for (int32_t s = 0; s < m; ++s) {
    const T mean = larger(sums[s] / members, T(1e-8));
    values[s] = values[s] + in.kappa * log_positive(mean);
  }
}

// Eq. (14): y_k = onehot(argmax_s [log pi_s + g_{k,s}]). The normaliser of log pi is the same for
// all s and is left out. noise_at(k, s) returns g. The lowest of equal positions wins. Without
// replacement, positions that are already taken are excluded.
template <class Kind, class NoiseAt>
SPIKENM_HD void draw_block(const DrawInputs<float>& in, const float* values, bool replace,
                           float scale, NoiseAt&& noise_at, uint8_t* draws) {
  const int32_t m = Kind::m(in.layout);
  typename Kind::Bits taken = 0;
  for (int32_t k = 0; k < in.n_draws; ++k) {
    int32_t best = -1;
    float best_key = 0;
    SPIKENM_UNROLL
    for (int32_t s = 0; s < m; ++s) {
      const float key = fused(scale, noise_at(k, s), values[s]);
      const bool out = !replace && (taken >> s & 1) != 0;
      if (!out && (best < 0 || key > best_key)) {
        best = s;
        best_key = key;
      }
    }
    taken |= typename Kind::Bits{1} << best;
    draws[k] = static_cast<uint8_t>(best);
  }
}

// The noise of position s of draw k of block b.
SPIKENM_HD float gumbel_at(uint64_t seed, uint32_t stream, uint32_t step, int64_t b, int32_t k,
                           int32_t s, int32_t m) {
  const uint64_t counter = gumbel_counter(b, k, s / 4, m);
  const auto words = philox<uint32_t>(seed, stream, step, static_cast<uint32_t>(counter),
                                      static_cast<uint32_t>(counter >> 32));
  return gumbel<float>(words.word[s % 4]);
}

// The denominator of a softmax: sum = sum_s exp((values_s - top) / tau), at least 1.
template <class T>
struct SoftmaxSum {
  T top, sum;
};

// In place: softmax(values / tau) over the positions whose bit in `out` is clear; the others become
// 0.
template <class Kind, class T>
SPIKENM_HD SoftmaxSum<T> block_softmax(const nm::BlockLayout& layout, T* values, T tau,
                                       typename Kind::Bits out = 0) {
  const int32_t m = Kind::m(layout);
  T top = 0;
  bool any = false;
  SPIKENM_UNROLL
  for (int32_t s = 0; s < m; ++s) {
    if ((out >> s & 1) != 0) continue;
    if (!any || values[s] > top) top = values[s];
    any = true;
  }

  const T rate = quotient(T(1), tau);
  T sum = 0;
  SPIKENM_UNROLL
  for (int32_t s = 0; s < m; ++s) {
    values[s] = (out >> s & 1) != 0 ? T(0) : exp_nonpositive((values[s] - top) * rate);
    sum += values[s];
  }

  const T share = quotient(T(1), sum);
  SPIKENM_UNROLL
  for (int32_t s = 0; s < m; ++s) values[s] *= share;
  return {.top = top, .sum = sum};
}

}  // namespace spikenm::kernels
