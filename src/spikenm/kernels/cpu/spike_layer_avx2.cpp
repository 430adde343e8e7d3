// The AVX2 level of spike_layer.h, with BMI2 and POPCNT. Like kernels_avx2.cpp it holds kernels
// alone.
#define SPIKENM_NO_LIBM
#include "spikenm/kernels/cpu/spike_layer.h"
#include "spikenm/kernels/spike_picks.h"

#include <immintrin.h>

namespace spikenm::kernels {
namespace {

#define SPIKENM_INLINE inline __attribute__((always_inline))
// Loops that are functions of their own keep their variables in registers.
#define SPIKENM_NOINLINE __attribute__((noinline))

// What becomes of the sums that are there: = rows, += rows, = 2 sums + rows.
enum class Add { kSet, kMore, kTwice };

// 64 floats: lanes 8 i to 8 i + 7 in part i.
struct Floats {
  __m256 part[8];

  static SPIKENM_INLINE Floats load(const float* from) {
    Floats r;
    for (int i = 0; i < 8; ++i) r.part[i] = _mm256_loadu_ps(from + 8 * i);
    return r;
  }
  static SPIKENM_INLINE Floats fill(float value) {
    Floats r;
    for (__m256& each : r.part) each = _mm256_set1_ps(value);
    return r;
  }
  SPIKENM_INLINE void store(float* to) const {
    for (int i = 0; i < 8; ++i) _mm256_storeu_ps(to + 8 * i, part[i]);
  }
};

SPIKENM_INLINE Floats multiply_add(const Floats& a, const Floats& b, const Floats& c) {
  Floats r;
  for (int i = 0; i < 8; ++i) r.part[i] = _mm256_fmadd_ps(a.part[i], b.part[i], c.part[i]);
  return r;
}
SPIKENM_INLINE void add_scaled(Floats& sums, const float* row, float value) {
  const __m256 v = _mm256_set1_ps(value);
  for (int i = 0; i < 8; ++i)
    sums.part[i] = _mm256_fmadd_ps(v, _mm256_load_ps(row + 8 * i), sums.part[i]);
}

// Sums of int8 rows, as in spike_layer_avx512.cpp: part p holds words 16 p to 16 p + 15.
struct Whole {
  __m256i both[2], high[2];

  SPIKENM_INLINE void begin(int64_t rounds) {
    for (int p = 0; p < 2; ++p) {
      both[p] = _mm256_set1_epi16(static_cast<short>(-4 * 128 * rounds));
      high[p] = _mm256_setzero_si256();
    }
  }
  SPIKENM_INLINE void add_four(const uint8_t* rows, const uint16_t* entries) {
    constexpr size_t kUnit = kSpikeBlock / kEntryUnit;
    const uint8_t* const at[4] = {rows + entries[0] * kUnit, rows + entries[1] * kUnit,
                                  rows + entries[2] * kUnit, rows + entries[3] * kUnit};
    for (int p = 0; p < 2; ++p) {
      __m256i row[4];
      for (int k = 0; k < 4; ++k)
        row[k] = _mm256_load_si256(reinterpret_cast<const __m256i*>(at[k] + 32 * p));
      add_to(both[p], row);
      for (__m256i& each : row) each = _mm256_srai_epi16(each, 8);
      add_to(high[p], row);
    }
  }
  // Two pairs first, as the compiler may not change: a sum then waits for the one before once in four
  // rows.
  static SPIKENM_INLINE void add_to(__m256i& sum, const __m256i (&row)[4]) {
    __m256i a = _mm256_add_epi16(row[0], row[1]), b = _mm256_add_epi16(row[2], row[3]);
    asm("" : "+x"(a), "+x"(b));
    a = _mm256_add_epi16(a, b);
    asm("" : "+x"(a));
    sum = _mm256_add_epi16(sum, a);
    asm("" : "+x"(sum));
  }
  // Lanes 16 i to 16 i + 15.
  [[nodiscard]] SPIKENM_INLINE __m256i words(int i) const {
    return i < 2 ? _mm256_sub_epi16(both[i], _mm256_slli_epi16(high[i], 8)) : high[i - 2];
  }

  template <Add kAdd>
  SPIKENM_INLINE void put(int16_t* sums) const {
    for (int i = 0; i < 4; ++i) {
      auto* const at = reinterpret_cast<__m256i*>(sums + 16 * i);
      __m256i x = words(i);
      if constexpr (kAdd != Add::kSet) {
        const __m256i old = _mm256_load_si256(at);
        x = _mm256_add_epi16(x, kAdd == Add::kTwice ? _mm256_add_epi16(old, old) : old);
      }
      _mm256_store_si256(at, x);
    }
  }
  template <Add kAdd>
  SPIKENM_INLINE void put(int32_t* sums) const {
    for (int i = 0; i < 8; ++i) {
      auto* const at = reinterpret_cast<__m256i*>(sums + 8 * i);
      const __m256i own = words(i / 2);
      __m256i x = _mm256_cvtepi16_epi32(i % 2 == 0 ? _mm256_castsi256_si128(own)
                                                   : _mm256_extracti128_si256(own, 1));
      if constexpr (kAdd != Add::kSet) {
        const __m256i old = _mm256_load_si256(at);
        x = _mm256_add_epi32(x, kAdd == Add::kTwice ? _mm256_add_epi32(old, old) : old);
      }
      _mm256_store_si256(at, x);
    }
  }
  static SPIKENM_INLINE Floats floats_of(const int16_t* sums) {
    Floats r;
    for (int i = 0; i < 8; ++i)
      r.part[i] = _mm256_cvtepi32_ps(
          _mm256_cvtepi16_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(sums + 8 * i))));
    return r;
  }
  static SPIKENM_INLINE Floats floats_of(const int32_t* sums) {
    Floats r;
    for (int i = 0; i < 8; ++i)
      r.part[i] =
          _mm256_cvtepi32_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(sums + 8 * i)));
    return r;
  }
};

struct FireRule {
  __m256 keep, threshold, soft, reset;

  explicit SPIKENM_INLINE FireRule(const LayerNeurons& n)
      : keep(_mm256_set1_ps(n.keep)),
        threshold(_mm256_set1_ps(n.threshold)),
        soft(_mm256_set1_ps(n.soft)),
        reset(_mm256_set1_ps(n.reset)) {}
};

template <bool kSoft>
SPIKENM_INLINE uint64_t fire(const FireRule& rule, const Floats& current, Floats& v) {
  uint64_t fired = 0;
  for (int i = 0; i < 8; ++i) {
    const __m256 h = _mm256_fmadd_ps(rule.keep, v.part[i], current.part[i]);
    const __m256 over = _mm256_cmp_ps(h, rule.threshold, _CMP_GE_OQ);
    const __m256 fallen = kSoft ? _mm256_fmadd_ps(rule.soft, h, rule.reset) : rule.reset;
    v.part[i] = _mm256_blendv_ps(h, fallen, over);
    fired |= static_cast<uint64_t>(static_cast<unsigned>(_mm256_movemask_ps(over))) << 8 * i;
  }
  return fired;
}

// Numbers in their order, which need no table.
constexpr const uint8_t* kNumbers = nullptr;
using Numbers = const uint8_t*;
SPIKENM_INLINE Numbers numbers_of(const uint8_t* numbers) {
  return numbers;
}
using FirstRow = int;
SPIKENM_INLINE FirstRow first_row(int64_t row) {
  return static_cast<int>(row * kEntryUnit);
}
SPIKENM_INLINE FirstRow next_word(FirstRow row) {
  return row + static_cast<int>(kSpikeBlock * kEntryUnit);
}
template <bool kMany>
SPIKENM_INLINE uint16_t* emit(uint16_t* p, uint64_t bits, FirstRow row, Numbers) {
  for (; bits != 0; bits &= bits - 1)
    *p++ = static_cast<uint16_t>(row + __builtin_ctzll(bits) * static_cast<int>(kEntryUnit));
  return p;
}

SPIKENM_INLINE uint64_t extract(uint64_t bits, uint64_t keep) {
  return _pext_u64(bits, keep);
}

// There is no instruction that gathers bits of several words.
constexpr bool kHasPicks = false;
SPIKENM_INLINE uint64_t gather_eight(const uint64_t*, const uint8_t*) {
  return 0;
}

// Counts are at most 127: pairs of products fit 16 bits.
struct Quads {
  __m256i sums[2];
  SPIKENM_INLINE void clear() { sums[0] = sums[1] = _mm256_setzero_si256(); }
  SPIKENM_INLINE void store(int32_t* to) const {
    for (int p = 0; p < 2; ++p) _mm256_store_si256(reinterpret_cast<__m256i*>(to + 8 * p), sums[p]);
  }
  SPIKENM_INLINE void divide(int t) {
    for (__m256i& each : sums) each = _mm256_srav_epi32(each, _mm256_set1_epi32(t));
  }
};
struct Bytes64 {
  __m256i part[2];
};

SPIKENM_INLINE void dot(Quads& total, const Bytes64& x, const int8_t* w) {
  const __m256i ones = _mm256_set1_epi16(1);
  for (int p = 0; p < 2; ++p) {
    const __m256i weights = _mm256_load_si256(reinterpret_cast<const __m256i*>(w + 32 * p));
    const __m256i pairs = _mm256_maddubs_epi16(x.part[p], weights);
    total.sums[p] = _mm256_add_epi32(total.sums[p], _mm256_madd_epi16(pairs, ones));
  }
}
SPIKENM_INLINE Bytes64 spread(const uint8_t* x) {
  int32_t four;
  __builtin_memcpy(&four, x, sizeof four);
  return {{_mm256_set1_epi32(four), _mm256_set1_epi32(four)}};
}
using Word64 = const uint8_t*;
SPIKENM_INLINE Word64 word64(const uint8_t* x) {
  return x;
}
// A shuffle finds a byte among 16: four of them, each for the indices that are its own.
SPIKENM_INLINE Bytes64 pick(const int8_t* index, Word64 x) {
  Bytes64 r;
  for (int p = 0; p < 2; ++p) {
    const __m256i wanted = _mm256_load_si256(reinterpret_cast<const __m256i*>(index + 32 * p));
    const __m256i quarter = _mm256_and_si256(wanted, _mm256_set1_epi8(0x30));
    __m256i found = _mm256_setzero_si256();
    for (int q = 0; q < 4; ++q) {
      const __m256i bytes =
          _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(x + 16 * q)));
      const __m256i own = _mm256_cmpeq_epi8(quarter, _mm256_set1_epi8(static_cast<char>(16 * q)));
      found = _mm256_or_si256(found, _mm256_and_si256(own, _mm256_shuffle_epi8(bytes, wanted)));
    }
    r.part[p] = found;
  }
  return r;
}
constexpr int kPixelsAtOnce = 1;
SPIKENM_INLINE Bytes64 only_bit(const Bytes64& x, int t) {
  const __m256i bit = _mm256_set1_epi8(static_cast<char>(1 << t));
  return {{_mm256_and_si256(x.part[0], bit), _mm256_and_si256(x.part[1], bit)}};
}
SPIKENM_INLINE void put_counts(uint8_t* to, uint64_t bits, uint8_t count) {
  for (; bits != 0; bits &= bits - 1) {
    uint8_t& at = to[__builtin_ctzll(bits)];
    at = static_cast<uint8_t>(at + count);
  }
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
inline void place_units(const SpikePicks&, int64_t, const TileWords&, std::byte*) {}
template <bool kMany>
uint16_t* list_picked(const Band&, const Windows<uint64_t>&, int64_t, const SegmentWriter& writer) {
  return writer.at;
}
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

void spike_tile_avx2(const SpikeLayer& layer, const LayerTile& tile, const TilePlan& plan,
                     std::byte* scratch) {
  run_tile(layer, tile, plan, scratch);
}

}  // namespace spikenm::kernels
