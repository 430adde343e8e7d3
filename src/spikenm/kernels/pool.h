// Square pooling without overlap over planes [n, height, width] -> [n, height/size, width/size];
// rows and columns that fill no window are left out.
#pragma once

#include <cstdint>

namespace spikenm::kernels {

enum class PoolKind : int32_t { kAverage, kMax };

struct PoolShape {
  PoolKind kind = PoolKind::kAverage;
  int64_t n = 0, height = 0, width = 0, size = 2;
};

// `chosen` [n, out height, out width] receives the place of the largest value in its window
// (row-major, the first of equals) for kMax, and is not touched for kAverage.
template <class T>
void pool_forward(const PoolShape& shape, const T* x, T* y, uint8_t* chosen);

// grad_x is overwritten.
template <class T>
void pool_backward(const PoolShape& shape, const T* grad_y, const uint8_t* chosen, T* grad_x);

}  // namespace spikenm::kernels
