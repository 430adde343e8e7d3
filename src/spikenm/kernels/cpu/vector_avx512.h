// Sixteen floats or sixteen words, with the operations of math/value.h. Only *_avx512.cpp files
// include it, inside their unnamed namespace: no vector type appears in a shared header.

struct Bool16 {
  __mmask16 bits;
};

struct F {
  static constexpr int kLanes = 16;
  __m512 r;
  F() : r(_mm512_setzero_ps()) {}
  explicit F(__m512 value) : r(value) {}
  explicit F(double value) : r(_mm512_set1_ps(static_cast<float>(value))) {}

  static __mmask16 first_lanes(int count) { return static_cast<__mmask16>((1u << count) - 1u); }
  static F spread(float value) { return F(_mm512_set1_ps(value)); }
  static F load(const float* p, int count) {
    return count == kLanes ? F(_mm512_loadu_ps(p))
                           : F(_mm512_maskz_loadu_ps(first_lanes(count), p));
  }
  void store(float* p, int count) const {
    if (count == kLanes) {
      _mm512_storeu_ps(p, r);
    } else {
      _mm512_mask_storeu_ps(p, first_lanes(count), r);
    }
  }
};

SPIKENM_HD F operator+(F a, F b) {
  return F(_mm512_add_ps(a.r, b.r));
}
SPIKENM_HD F operator-(F a, F b) {
  return F(_mm512_sub_ps(a.r, b.r));
}
SPIKENM_HD F operator*(F a, F b) {
  return F(_mm512_mul_ps(a.r, b.r));
}
SPIKENM_HD F operator/(F a, F b) {
  return F(_mm512_div_ps(a.r, b.r));
}
SPIKENM_HD F fused(F a, F b, F c) {
  return F(_mm512_fmadd_ps(a.r, b.r, c.r));
}
SPIKENM_HD F absolute(F a) {
  return F(_mm512_abs_ps(a.r));
}
SPIKENM_HD Bool16 at_least(F a, F b) {
  return {_mm512_cmp_ps_mask(a.r, b.r, _CMP_GE_OQ)};
}
SPIKENM_HD F select(Bool16 c, F yes, F no) {
  return F(_mm512_mask_blend_ps(c.bits, no.r, yes.r));
}
SPIKENM_HD F larger(F a, F b) {
  return F(_mm512_max_ps(a.r, b.r));
}
// min and max return their second operand if one is NaN: `a` is second, so that NaN stays NaN.
SPIKENM_HD F saturate(F a) {
  const __m512 limit = _mm512_set1_ps(3.40282347e38f);
  const __m512 low = _mm512_sub_ps(_mm512_setzero_ps(), limit);
  return F(_mm512_max_ps(low, _mm512_min_ps(limit, a.r)));
}

struct U {
  static constexpr int kLanes = 16;
  __m512i r;
  U() : r(_mm512_setzero_si512()) {}
  explicit U(__m512i value) : r(value) {}
  explicit U(uint32_t value) : r(_mm512_set1_epi32(static_cast<int>(value))) {}
  static U load(const uint32_t* p) { return U(_mm512_loadu_si512(p)); }
};

SPIKENM_HD U operator^(U a, U b) {
  return U(_mm512_xor_si512(a.r, b.r));
}
SPIKENM_HD U operator&(U a, U b) {
  return U(_mm512_and_si512(a.r, b.r));
}
SPIKENM_HD U operator+(U a, U b) {
  return U(_mm512_add_epi32(a.r, b.r));
}
SPIKENM_HD U operator-(U a, U b) {
  return U(_mm512_sub_epi32(a.r, b.r));
}
SPIKENM_HD U operator>>(U a, int n) {
  return U(_mm512_srli_epi32(a.r, static_cast<unsigned>(n)));
}
SPIKENM_HD U shift_left_23(U a) {
  return U(_mm512_slli_epi32(a.r, 23));
}
SPIKENM_HD U shift_signed_23(U a) {
  return U(_mm512_srai_epi32(a.r, 23));
}
SPIKENM_HD U bits_of(F a) {
  return U(_mm512_castps_si512(a.r));
}
SPIKENM_HD F from_bits(U a) {
  return F(_mm512_castsi512_ps(a.r));
}
SPIKENM_HD F to_value(U a) {
  return F(_mm512_cvtepi32_ps(a.r));
}
SPIKENM_HD U round_to_int(F a) {
  return U(_mm512_cvtps_epi32(a.r));
}

// Even lanes are multiplied in place, odd lanes moved down, then both halves are blended together.
SPIKENM_HD void multiply_wide(U a, U b, U& high, U& low) {
  const __m512i even = _mm512_mul_epu32(a.r, b.r);
  const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(a.r, 32), _mm512_srli_epi64(b.r, 32));
  low = U(_mm512_mask_blend_epi32(0xAAAA, even, _mm512_slli_epi64(odd, 32)));
  high = U(_mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64(even, 32), odd));
}
