// Accumulating the weight gradient over time steps: grad += g and credit += |g| in one pass, or
// credit += |g| alone.
#pragma once

#include <cstdint>

namespace spikenm::kernels {

// For every element: grad[i] += g[i]; credit[i] += |g[i]| unless credit is null.
template <class T>
void accumulate_credit(int64_t n, const T* g, T* grad, T* credit);

}  // namespace spikenm::kernels
