// The AVX-512 level of spike_layer.h. It also needs VBMI, VBMI2, BITALG, BMI2 and POPCNT, which came
// with the same processors as VNNI. Like kernels_avx512.cpp it holds kernels alone.
#define SPIKENM_NO_LIBM
#include "spikenm/kernels/cpu/spike_layer.h"
#include "spikenm/kernels/spike_picks.h"

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

// What becomes of the sums that are there: = rows, += rows, = 2 sums + rows.
enum class Add { kSet, kMore, kTwice };

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

// The compiler may not look through this: it would add the rows of a round one after the other, each
// waiting for the one before.
SPIKENM_INLINE void fix(__m512i& x) {
  asm("" : "+v"(x));
}
SPIKENM_INLINE void fix(uint64_t& x) {
  asm("" : "+r"(x));
}
SPIKENM_INLINE __m512i add_words(__m512i a, __m512i b) {
  return _mm512_add_epi16(a, b);
}

// Sums of int8 rows. Word i of `both` is 256 * high[i] + low[i], modulo 2^16; `high` holds the sums of
// lanes 32 to 63.
struct Whole {
  __m512i both, high;

  // Each of the four rows of a round adds 128 to a low sum.
  SPIKENM_INLINE void begin(int64_t rounds) {
    both = _mm512_set1_epi16(static_cast<short>(-4 * 128 * rounds));
    high = _mm512_setzero_si512();
  }
  // One round. The four entries come in one load: loads are what there are too few of.
  SPIKENM_INLINE void add_four(const uint8_t* rows, const uint16_t* entries) {
    uint64_t four;
    __builtin_memcpy(&four, entries, sizeof four);
    const auto next = [&] {
      constexpr size_t kUnit = kSpikeBlock / kEntryUnit;
      const __m512i row = _mm512_load_si512(rows + (four & 0xFFFF) * kUnit);
      four >>= 16;
      fix(four);
      return row;
    };
    __m512i row[4] = {next(), next(), next(), next()};
    add_to(both, row);
    for (__m512i& each : row) each = _mm512_srai_epi16(each, 8);
    add_to(high, row);
  }
  // Two pairs first: a sum then waits for the one before once in four rows.
  static SPIKENM_INLINE void add_to(__m512i& sum, const __m512i (&row)[4]) {
    __m512i a = add_words(row[0], row[1]), b = add_words(row[2], row[3]);
    fix(a);
    fix(b);
    a = add_words(a, b);
    fix(a);
    sum = add_words(sum, a);
    fix(sum);
  }
  // The sums of lanes 0 to 31.
  [[nodiscard]] SPIKENM_INLINE __m512i low() const {
    return _mm512_sub_epi16(both, _mm512_slli_epi16(high, 8));
  }

  template <Add kAdd>
  SPIKENM_INLINE void put(int16_t* sums) const {
    const __m512i own[2] = {low(), high};
    for (int i = 0; i < 2; ++i) {
      __m512i x = own[i];
      if constexpr (kAdd != Add::kSet) {
        const __m512i old = _mm512_load_si512(sums + 32 * i);
        x = add_words(x, kAdd == Add::kTwice ? add_words(old, old) : old);
      }
      _mm512_store_si512(sums + 32 * i, x);
    }
  }
  template <Add kAdd>
  SPIKENM_INLINE void put(int32_t* sums) const {
    const __m512i own[2] = {low(), high};
    for (int i = 0; i < 4; ++i) {
      __m512i x = _mm512_cvtepi16_epi32(i % 2 == 0 ? _mm512_castsi512_si256(own[i / 2])
                                                   : _mm512_extracti64x4_epi64(own[i / 2], 1));
      if constexpr (kAdd != Add::kSet) {
        const __m512i old = _mm512_load_si512(sums + 16 * i);
        x = _mm512_add_epi32(x, kAdd == Add::kTwice ? _mm512_add_epi32(old, old) : old);
      }
      _mm512_store_si512(sums + 16 * i, x);
    }
  }
  static SPIKENM_INLINE Floats floats_of(const int16_t* sums) {
    Floats r;
    for (int i = 0; i < 4; ++i)
      r.part[i] = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(
          _mm256_load_si256(reinterpret_cast<const __m256i*>(sums + 16 * i))));
    return r;
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

// Numbers in their order.
alignas(64) constexpr uint8_t kNumbers[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

// The entry of the row of a unit's lowest bit, in every lane.
using FirstRow = __m256i;
SPIKENM_INLINE FirstRow first_row(int64_t row) {
  return _mm256_set1_epi16(static_cast<short>(row * kEntryUnit));
}
SPIKENM_INLINE FirstRow next_word(FirstRow row) {
  return _mm256_add_epi16(row, _mm256_set1_epi16(static_cast<short>(kSpikeBlock * kEntryUnit)));
}

// The numbers are compressed in a register: a compressing store takes a hundred cycles. The register is
// cleared first, for some processors wait for what it held. kMany: 32 entries are written at once, else
// 16, which is faster where there are nearly always fewer.
template <bool kMany>
SPIKENM_INLINE uint16_t* emit(uint16_t* p, uint64_t bits, FirstRow row, __m512i numbers) {
  constexpr int kShift = 3;
  static_assert(1 << kShift == kEntryUnit);
  __m512i chosen = _mm512_setzero_si512();
  fix(chosen);
  chosen = _mm512_mask_compress_epi8(chosen, _cvtu64_mask64(bits), numbers);
  const int64_t count = _mm_popcnt_u64(bits);
  const __m256i low = _mm512_castsi512_si256(chosen);
  if (kMany || __builtin_expect(count > 16, 0)) {
    const auto entries = [&](__m256i some) {
      return add_words(_mm512_slli_epi16(_mm512_cvtepu8_epi16(some), kShift),
                       _mm512_broadcast_i64x4(row));
    };
    _mm512_storeu_si512(p, entries(low));
    if (__builtin_expect(count > 32, 0))
      _mm512_storeu_si512(p + 32, entries(_mm512_extracti64x4_epi64(chosen, 1)));
  } else {
    const __m256i some =
        _mm256_slli_epi16(_mm256_cvtepu8_epi16(_mm256_castsi256_si128(low)), kShift);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_add_epi16(some, row));
  }
  return p + count;
}

using Numbers = __m512i;
SPIKENM_INLINE Numbers numbers_of(const uint8_t* numbers) {
  return _mm512_load_si512(numbers);
}

constexpr bool kHasPicks = true;
using UnitWords = __m512i;
template <int kWords>
SPIKENM_INLINE UnitWords load_words(const uint64_t* from) {
  if constexpr (kWords == 8) return _mm512_loadu_si512(from);
  if constexpr (kWords == 4)
    return _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  if constexpr (kWords == 2)
    return _mm512_broadcast_i64x2(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  return _mm512_set1_epi64(static_cast<int64_t>(*from));
}
SPIKENM_INLINE UnitWords load_pieces(const uint64_t* a, const uint64_t* b) {
  return _mm512_inserti64x4(
      _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a))),
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b)), 1);
}
SPIKENM_INLINE uint64_t gather(UnitWords words, const uint8_t* places) {
  return _cvtmask64_u64(_mm512_bitshuffle_epi64_mask(words, _mm512_load_si512(places)));
}
SPIKENM_INLINE uint64_t gather(UnitWords words, const uint8_t* places, uint64_t valid) {
  return _cvtmask64_u64(
      _mm512_mask_bitshuffle_epi64_mask(_cvtu64_mask64(valid), words, _mm512_load_si512(places)));
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

SPIKENM_INLINE uint64_t gather_eight(const uint64_t* words, const uint8_t* places) {
  return gather(load_words<8>(words), places);
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
#include "spikenm/kernels/cpu/spike_layer_words_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_segments_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_band_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_listed_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_kept_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_same_taps_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_picked_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_kept_tile_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_values_inl.h"
//
#include "spikenm/kernels/cpu/spike_layer_bytes_inl.h"

void run_tile(const SpikeLayer& layer, const LayerTile& tile, const TilePlan& plan,
              std::byte* base) {
  const Scratch scratch(plan, base);
  if (layer.input.values != nullptr) return values_tile(layer, tile, plan, scratch);
  if (layer.rows.form != RowForm::kEvents) return bytes_tile(layer, tile, plan, scratch);
  const TileWords bits(layer, plan, base);
  if (layer.rows.keep != nullptr) return kept_tile(layer, tile, plan, scratch, bits);
  listed_tile(layer, tile, plan, scratch, bits);
}

}  // namespace

void spike_tile_avx512(const SpikeLayer& layer, const LayerTile& tile, const TilePlan& plan,
                       std::byte* scratch) {
  run_tile(layer, tile, plan, scratch);
}

}  // namespace spikenm::kernels
