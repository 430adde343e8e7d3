// The operations that the formulas in this folder are written with, for float and double. The
// vector types of kernels/cpu/vector_*.h overload the same names, so that one formula serves the
// reference, AVX and CUDA. Built-ins instead of <cmath>: instruction-set files must not instantiate
// library templates.
#pragma once

#include "spikenm/core/host_device.h"

#include <cstdint>

namespace spikenm::kernels {

// a * b + c with one rounding.
SPIKENM_HD float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
SPIKENM_HD double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

SPIKENM_HD float absolute(float a) {
  return __builtin_fabsf(a);
}
SPIKENM_HD double absolute(double a) {
  return __builtin_fabs(a);
}

SPIKENM_HD bool at_least(float a, float b) {
  return a >= b;
}
SPIKENM_HD bool at_least(double a, double b) {
  return a >= b;
}

SPIKENM_HD float select(bool condition, float yes, float no) {
  return condition ? yes : no;
}
SPIKENM_HD double select(bool condition, double yes, double no) {
  return condition ? yes : no;
}

SPIKENM_HD float larger(float a, float b) {
  return a > b ? a : b;
}
SPIKENM_HD double larger(double a, double b) {
  return a > b ? a : b;
}

// The membrane saturates at the largest finite number instead of overflowing; NaN stays NaN.
SPIKENM_HD float saturate(float a) {
  constexpr float kMax = 3.40282347e38f;
#if defined(__CUDA_ARCH__)
  float result;  // two instructions instead of two comparisons and two selections
  asm("{ .reg .f32 t; min.NaN.f32 t, %1, %2; max.NaN.f32 %0, t, %3; }"
      : "=f"(result)
      : "f"(a), "f"(kMax), "f"(-kMax));
  return result;
#else
  return a > kMax ? kMax : a < -kMax ? -kMax : a;
#endif
}
SPIKENM_HD double saturate(double a) {
  constexpr double kMax = 1.7976931348623157e308;
  return a > kMax ? kMax : a < -kMax ? -kMax : a;
}

SPIKENM_HD float square_root(float a) {
  return __builtin_sqrtf(a);
}
SPIKENM_HD double square_root(double a) {
  return __builtin_sqrt(a);
}

// a / b for a normal b, where the last bit does not matter: used for gradients, never for a
// membrane or a draw.
template <class V>
SPIKENM_HD V quotient(V a, V b) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(V) == sizeof(float)) {
    float reciprocal;  // one instruction; a division takes about ten
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(b));
    return a * reciprocal;
  }
#endif
  return a / b;
}

// exp(a) for a <= 0.
SPIKENM_HD float exp_nonpositive(float a) {
  return __builtin_expf(a);
}
SPIKENM_HD double exp_nonpositive(double a) {
  return __builtin_exp(a);
}

// Bits and whole numbers, for the logarithm and the random words.
SPIKENM_HD uint32_t bits_of(float a) {
  uint32_t bits;
  __builtin_memcpy(&bits, &a, 4);
  return bits;
}
SPIKENM_HD float from_bits(uint32_t bits) {
  float a;
  __builtin_memcpy(&a, &bits, 4);
  return a;
}
SPIKENM_HD float to_value(uint32_t signed_bits) {
  return static_cast<float>(static_cast<int32_t>(signed_bits));
}
// Arithmetic shift: the sign is kept.
SPIKENM_HD uint32_t shift_signed_23(uint32_t a) {
  return static_cast<uint32_t>(static_cast<int32_t>(a) >> 23);
}

}  // namespace spikenm::kernels
