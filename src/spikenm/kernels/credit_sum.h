// Adds up the weight gradient over time steps: grad += g and credit += |g| in one pass, or
// grad += g alone.
#pragma once

#include "spikenm/kernels/real.h"

#include <cstdint>
#include <span>

namespace spikenm::kernels {

// For every element: grad[i] += g[i]; credit[i] += |g[i]| unless credit is null.
template <class T>
void accumulate_credit(int64_t n, const T* g, T* grad, T* credit);

// All steps at once on a GPU; sums are float, in the order of the steps. Slices are [out, taps,
// channels] (channels-last), sums are [out, channels, taps]; with one tap both have the same order.
struct CreditSlices {
  Real real = Real::kFloat;  // type of the slices
  std::span<const void* const> slices;
  int64_t n = 0, channels = 1, taps = 1;
  float* total = nullptr;
  float* credit = nullptr;        // may be null
  const float* factor = nullptr;  // on the GPU; multiplies both sums; null: 1
};

void accumulate_credit_cuda(const CreditSlices& args, void* stream);

}  // namespace spikenm::kernels
