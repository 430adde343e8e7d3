// The AVX-512 level of spike_layer.h. It also needs VBMI, VBMI2, BMI2 and POPCNT, which came with
// the same processors as VNNI. Like kernels_avx512.cpp it holds kernels alone.
#define SPIKENM_NO_LIBM
#include "spikenm/kernels/cpu/spike_layer.h"

// GCC 12 warns about the deliberately undefined registers of its own intrinsics (GCC bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

namespace spikenm::kernels {
namespace {

#define SPIKENM_INLINE inline __attribute__((always_inline))
// Loops that are functions of their own keep their variables in registers.
#define SPIKENM_NOINLINE __attribute__((noinline))

// 64 floats: lanes 16 i to 16 i + 15 in part i.
struct Floats {
  __m512 part[4];

  static SPIKENM_INLINE Floats load(const float* from) {
    return {{_mm512_loadu_ps(from), _mm512_loadu_ps(from + 16), _mm512_loadu_ps(from + 32),
             _mm512_loadu_ps(from + 48)}};
  }
  static SPIKENM_INLINE Floats fill(float value) {
    const __m512 v = _mm512_set1_ps(value);
    return {{v, v, v, v}};
  }
  SPIKENM_INLINE void store(float* to) const {
    for (int i = 0; i < 4; ++i) _mm512_storeu_ps(to + 16 * i, part[i]);
  }
};

SPIKENM_INLINE Floats multiply_add(const Floats& a, const Floats& b, const Floats& c) {
  Floats r;
  for (int i = 0; i < 4; ++i) r.part[i] = _mm512_fmadd_ps(a.part[i], b.part[i], c.part[i]);
  return r;
}
SPIKENM_INLINE void add_scaled(Floats& sums, const float* row, float value) {
  const __m512 v = _mm512_set1_ps(value);
  for (int i = 0; i < 4; ++i)
    sums.part[i] = _mm512_fmadd_ps(v, _mm512_load_ps(row + 16 * i), sums.part[i]);
}

// Sums of int8 rows. Word i of `both` is 256 * high[i] + low[i] + 128 n, modulo 2^16; `high` holds
// the sums of lanes 32 to 63.
struct Whole {
  __m512i both, high;

  SPIKENM_INLINE void clear() { both = high = _mm512_setzero_si512(); }
  SPIKENM_INLINE void add_one(const uint8_t* rows, uint16_t row) {
    const __m512i x = _mm512_load_si512(rows + static_cast<size_t>(row) * 64);
    both = _mm512_add_epi16(both, x);
    high = _mm512_add_epi16(high, _mm512_srai_epi16(x, 8));
  }
  SPIKENM_INLINE void twice() {
    both = _mm512_add_epi16(both, both);
    high = _mm512_add_epi16(high, high);
  }
  // Eight at a time: the list ends with rows of zeros.
  SPIKENM_INLINE void add(const uint8_t* rows, const uint16_t* list, int64_t n) {
    for (int64_t i = 0; i < n; i += 8)
      for (int u = 0; u < 8; ++u) add_one(rows, list[i + u]);
  }
  SPIKENM_INLINE void add_some(const uint8_t* rows, const uint16_t* list, int64_t n) {
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
      for (int u = 0; u < 4; ++u) add_one(rows, list[i + u]);
    for (; i < n; ++i) add_one(rows, list[i]);
  }
  // The sums of lanes 0 to 31; `added`: how many rows were, each as often as it counts.
  [[nodiscard]] SPIKENM_INLINE __m512i low(int64_t added) const {
    const __m512i bias = _mm512_set1_epi16(static_cast<short>(128 * (added & 0xFFFF)));
    return _mm512_sub_epi16(_mm512_sub_epi16(both, _mm512_slli_epi16(high, 8)), bias);
  }
  static SPIKENM_INLINE void widen(__m512i x, __m512i& first, __m512i& second) {
    first = _mm512_cvtepi16_epi32(_mm512_castsi512_si256(x));
    second = _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(x, 1));
  }
  [[nodiscard]] SPIKENM_INLINE Floats floats(int64_t added) const {
    __m512i parts[4];
    widen(low(added), parts[0], parts[1]);
    widen(high, parts[2], parts[3]);
    Floats r;
    for (int i = 0; i < 4; ++i) r.part[i] = _mm512_cvtepi32_ps(parts[i]);
    return r;
  }
  SPIKENM_INLINE void add_to(int32_t* sums, int64_t added, int shift) const {
    __m512i parts[4];
    widen(low(added), parts[0], parts[1]);
    widen(high, parts[2], parts[3]);
    for (int i = 0; i < 4; ++i)
      _mm512_store_si512(
          sums + 16 * i,
          _mm512_add_epi32(_mm512_load_si512(sums + 16 * i),
                           _mm512_slli_epi32(parts[i], static_cast<unsigned>(shift))));
  }
  static SPIKENM_INLINE Floats floats_of(const int32_t* sums) {
    Floats r;
    for (int i = 0; i < 4; ++i) r.part[i] = _mm512_cvtepi32_ps(_mm512_load_si512(sums + 16 * i));
    return r;
  }
};

struct FireRule {
  __m512 keep, threshold, soft, reset;

  explicit SPIKENM_INLINE FireRule(const LayerNeurons& n)
      : keep(_mm512_set1_ps(n.keep)),
        threshold(_mm512_set1_ps(n.threshold)),
        soft(_mm512_set1_ps(n.soft)),
        reset(_mm512_set1_ps(n.reset)) {}
};

template <bool kSoft>
SPIKENM_INLINE uint64_t fire(const FireRule& rule, const Floats& current, Floats& v) {
  uint64_t fired = 0;
  for (int i = 0; i < 4; ++i) {
    const __m512 h = _mm512_fmadd_ps(rule.keep, v.part[i], current.part[i]);
    const __mmask16 over = _mm512_cmp_ps_mask(h, rule.threshold, _CMP_GE_OQ);
    v.part[i] = kSoft ? _mm512_mask_fmadd_ps(h, over, rule.soft, rule.reset)
                      : _mm512_mask_mov_ps(h, over, rule.reset);
    fired |= static_cast<uint64_t>(over) << 16 * i;
  }
  return fired;
}

alignas(64) constexpr uint8_t kNumbers[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

// The numbers are compressed in a register: a compressing store takes a hundred cycles. kWide: 32
// are written at once, else 16, which is faster where there are nearly always fewer.
template <bool kWide>
SPIKENM_INLINE uint16_t* emit(uint16_t* p, uint64_t bits, int base) {
  const __m512i numbers = _mm512_maskz_compress_epi8(bits, _mm512_load_si512(kNumbers));
  const int64_t count = _mm_popcnt_u64(bits);
  const __m256i low = _mm512_castsi512_si256(numbers);
  if (kWide || __builtin_expect(count > 16, 0)) {
    const __m512i add = _mm512_set1_epi16(static_cast<short>(base));
    _mm512_storeu_si512(p, _mm512_add_epi16(_mm512_cvtepu8_epi16(low), add));
    if (__builtin_expect(count > 32, 0)) {
      const __m256i high = _mm512_extracti64x4_epi64(numbers, 1);
      _mm512_storeu_si512(p + 32, _mm512_add_epi16(_mm512_cvtepu8_epi16(high), add));
    }
  } else {
    const __m256i first = _mm256_add_epi16(_mm256_cvtepu8_epi16(_mm256_castsi256_si128(low)),
                                           _mm256_set1_epi16(static_cast<short>(base)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), first);
  }
  return p + count;
}

SPIKENM_INLINE uint16_t* append(uint16_t* p, const uint16_t* from, int32_t n, int32_t add) {
  const __m512i base = _mm512_set1_epi16(static_cast<short>(add));
  _mm512_storeu_si512(p, _mm512_add_epi16(_mm512_loadu_si512(from), base));
  for (int32_t i = 32; __builtin_expect(i < n, 0); i += 32)
    _mm512_storeu_si512(p + i, _mm512_add_epi16(_mm512_loadu_si512(from + i), base));
  return p + n;
}

SPIKENM_INLINE bool any_set(const uint64_t* words, int64_t n) {
  __m512i any = _mm512_setzero_si512();
  for (int64_t i = 0; i < n; i += 8) {
    const auto mask = static_cast<__mmask8>(n - i < 8 ? (1u << (n - i)) - 1 : 0xFF);
    any = _mm512_or_si512(any, _mm512_maskz_loadu_epi64(mask, words + i));
  }
  return _mm512_test_epi64_mask(any, any) != 0;
}

SPIKENM_INLINE uint64_t extract(uint64_t bits, uint64_t keep) {
  return _pext_u64(bits, keep);
}

struct Quads {
  __m512i sums;
  SPIKENM_INLINE void clear() { sums = _mm512_setzero_si512(); }
  SPIKENM_INLINE void store(int32_t* to) const { _mm512_store_si512(to, sums); }
};

SPIKENM_INLINE void dot(Quads& total, __m512i x, const int8_t* w) {
  total.sums = _mm512_dpbusd_epi32(total.sums, x, _mm512_load_si512(w));
}
SPIKENM_INLINE __m512i spread(const uint8_t* x) {
  int32_t four;
  __builtin_memcpy(&four, x, sizeof four);
  return _mm512_set1_epi32(four);
}
using Word64 = __m512i;
SPIKENM_INLINE Word64 word64(const uint8_t* x) {
  return _mm512_load_si512(x);
}
SPIKENM_INLINE __m512i pick(const int8_t* index, Word64 word) {
  return _mm512_permutexvar_epi8(_mm512_load_si512(index), word);
}
SPIKENM_INLINE void put_counts(uint8_t* to, uint64_t bits, uint8_t count) {
  const __m512i old = _mm512_load_si512(to);
  _mm512_store_si512(
      to, _mm512_mask_add_epi8(old, bits, old, _mm512_set1_epi8(static_cast<char>(count))));
}

#include "spikenm/kernels/cpu/spike_layer_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_listed_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_linear_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_kept_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_same_taps_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_values_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_bytes_inl.h"

void run_tile(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
              std::byte* base) {
  const Scratch scratch(plan, base);
  if (layer.input.values != nullptr) return values_tile(layer, tile, plan, scratch);
  if (layer.rows.form != RowForm::kEvents) return bytes_tile(layer, tile, plan, scratch);
  if (layer.rows.keep != nullptr) return kept_tile(layer, tile, plan, scratch);
  if (plan.chunks > 1) return chunked_tile(layer, tile, plan, scratch);
  listed_tile(layer, tile, plan, scratch);
}

}  // namespace

void spike_tile_avx512(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                       std::byte* scratch) {
  run_tile(layer, tile, plan, scratch);
}

}  // namespace spikenm::kernels
