// Eight floats or eight words, with the operations of math/value.h. Only *_avx2.cpp files include
// it, inside their unnamed namespace: no vector type appears in a shared header.

struct Bool8 {
  __m256 bits;
};

struct F {
  static constexpr int kLanes = 8;
  __m256 r;
  F() : r(_mm256_setzero_ps()) {}
  explicit F(__m256 value) : r(value) {}
  explicit F(double value) : r(_mm256_set1_ps(static_cast<float>(value))) {}

  static __m256i first_lanes(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static F spread(float value) { return F(_mm256_set1_ps(value)); }
  static F load(const float* p, int count) {
    return count == kLanes ? F(_mm256_loadu_ps(p)) : F(_mm256_maskload_ps(p, first_lanes(count)));
  }
  void store(float* p, int count) const {
    if (count == kLanes) {
      _mm256_storeu_ps(p, r);
    } else {
      _mm256_maskstore_ps(p, first_lanes(count), r);
    }
  }
};

SPIKENM_HD F operator+(F a, F b) {
  return F(_mm256_add_ps(a.r, b.r));
}
SPIKENM_HD F operator-(F a, F b) {
  return F(_mm256_sub_ps(a.r, b.r));
}
SPIKENM_HD F operator*(F a, F b) {
  return F(_mm256_mul_ps(a.r, b.r));
}
SPIKENM_HD F operator/(F a, F b) {
  return F(_mm256_div_ps(a.r, b.r));
}
SPIKENM_HD F fused(F a, F b, F c) {
  return F(_mm256_fmadd_ps(a.r, b.r, c.r));
}
SPIKENM_HD F absolute(F a) {
  return F(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.r));
}
SPIKENM_HD Bool8 at_least(F a, F b) {
  return {_mm256_cmp_ps(a.r, b.r, _CMP_GE_OQ)};
}
SPIKENM_HD F select(Bool8 c, F yes, F no) {
  return F(_mm256_blendv_ps(no.r, yes.r, c.bits));
}
SPIKENM_HD F larger(F a, F b) {
  return F(_mm256_max_ps(a.r, b.r));
}
// min and max return their second operand if one is NaN: `a` is second, so that NaN stays NaN.
SPIKENM_HD F saturate(F a) {
  const __m256 limit = _mm256_set1_ps(3.40282347e38f);
  const __m256 low = _mm256_sub_ps(_mm256_setzero_ps(), limit);
  return F(_mm256_max_ps(low, _mm256_min_ps(limit, a.r)));
}

struct U {
  static constexpr int kLanes = 8;
  __m256i r;
  U() : r(_mm256_setzero_si256()) {}
  explicit U(__m256i value) : r(value) {}
  explicit U(uint32_t value) : r(_mm256_set1_epi32(static_cast<int>(value))) {}
  static U load(const uint32_t* p) {
    return U(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
};

SPIKENM_HD U operator^(U a, U b) {
  return U(_mm256_xor_si256(a.r, b.r));
}
SPIKENM_HD U operator&(U a, U b) {
  return U(_mm256_and_si256(a.r, b.r));
}
SPIKENM_HD U operator+(U a, U b) {
  return U(_mm256_add_epi32(a.r, b.r));
}
SPIKENM_HD U operator-(U a, U b) {
  return U(_mm256_sub_epi32(a.r, b.r));
}
SPIKENM_HD U operator>>(U a, int n) {
  return U(_mm256_srli_epi32(a.r, n));
}
SPIKENM_HD U shift_left_23(U a) {
  return U(_mm256_slli_epi32(a.r, 23));
}
SPIKENM_HD U shift_signed_23(U a) {
  return U(_mm256_srai_epi32(a.r, 23));
}
SPIKENM_HD U bits_of(F a) {
  return U(_mm256_castps_si256(a.r));
}
SPIKENM_HD F from_bits(U a) {
  return F(_mm256_castsi256_ps(a.r));
}
SPIKENM_HD F to_value(U a) {
  return F(_mm256_cvtepi32_ps(a.r));
}
SPIKENM_HD U round_to_int(F a) {
  return U(_mm256_cvtps_epi32(a.r));
}

// Even lanes are multiplied in place, odd lanes moved down, then both halves are blended together.
SPIKENM_HD void multiply_wide(U a, U b, U& high, U& low) {
  const __m256i even = _mm256_mul_epu32(a.r, b.r);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a.r, 32), _mm256_srli_epi64(b.r, 32));
  low = U(_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA));
  high = U(_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA));
}
