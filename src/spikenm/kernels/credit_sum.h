// Accumulating the weight gradient over time steps: grad += g and credit += |g| in one pass, or
// credit += |g| alone.
#pragma once

#include "spikenm/kernels/real.h"

#include <cstdint>
#include <span>

namespace spikenm::kernels {

// For every element: grad[i] += g[i]; credit[i] += |g[i]| unless credit is null.
template <class T>
void accumulate_credit(int64_t n, const T* g, T* grad, T* credit);

// All steps at once on a GPU; sums are float and in the steps' order. Slices are [out, taps,
// channels] (channels-last), sums [out, channels, taps]; with one tap both are as they lie.
struct CreditSlices {
  Real real = Real::kFloat;  // of the slices
  std::span<const void* const> slices;
  int64_t n = 0, channels = 1, taps = 1;
  float* total = nullptr;
  float* credit = nullptr;        // or null
  const float* factor = nullptr;  // of both sums, in the GPU's memory; null: 1
};

void accumulate_credit_cuda(const CreditSlices& args, void* stream);

}  // namespace spikenm::kernels
