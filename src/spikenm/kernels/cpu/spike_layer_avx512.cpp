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

#include "spikenm/kernels/cpu/spike_layer_bits_avx512_inl.h"

struct Quads {
  __m512i sums;
  SPIKENM_INLINE void clear() { sums = _mm512_setzero_si512(); }
  SPIKENM_INLINE void store(int32_t* to) const { _mm512_store_si512(to, sums); }
  SPIKENM_INLINE void divide(int t) {
    sums = _mm512_maskz_srav_epi32(0xFFFF, sums, _mm512_set1_epi32(t));
  }
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
constexpr int kPixelsAtOnce = 2;
SPIKENM_INLINE __m512i only_bit(__m512i x, int t) {
  return _mm512_and_si512(x, _mm512_set1_epi8(static_cast<char>(1 << t)));
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
//
#include "spikenm/kernels/cpu/spike_layer_steps_inl.h"

void run_tile(const SpikeLayer& layer, const LayerTile& tile, const TilePlan& plan,
              std::byte* base) {
  const Scratch scratch(plan, base);
  if (layer.input.values != nullptr) return values_tile(layer, tile, plan, scratch);
  if (plan.packs_steps) return steps_tile(layer, tile, plan, scratch);
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
