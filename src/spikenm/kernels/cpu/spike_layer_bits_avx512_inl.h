// How bits become entries of lists with AVX-512: emit() and gather() of spike_layer_inl.h. Included by
// spike_layer_avx512.cpp.

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

SPIKENM_INLINE uint64_t extract(uint64_t bits, uint64_t keep) {
  return _pext_u64(bits, keep);
}

SPIKENM_INLINE uint64_t gather_eight(const uint64_t* words, const uint8_t* places) {
  return gather(load_words<8>(words), places);
}
