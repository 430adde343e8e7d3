// Square pooling over images [n, height, width, channels] -> [n, out_height(), out_width(),
// channels]; rows and columns that fill no window are left out.
#pragma once

#include "spikenm/graph/geometry.h"
#include "spikenm/kernels/real.h"

#include <cstdint>

namespace spikenm::kernels {

using graph::PoolGeometry;
using graph::PoolKind;

struct PoolShape {
  PoolGeometry geometry;
  int64_t n = 0, height = 0, width = 0;

  [[nodiscard]] int64_t out_height() const { return geometry.out(height); }
  [[nodiscard]] int64_t out_width() const { return geometry.out(width); }
};

// For kMax `chosen`, of the result's shape, receives the place of the largest value in its window
// (row-major, the first of equals). For kAverage it is not touched.
template <class T>
void pool_forward(const PoolShape& shape, int64_t channels, const T* x, T* y, uint8_t* chosen);

// grad_x is overwritten.
template <class T>
void pool_backward(const PoolShape& shape, int64_t channels, const T* grad_y, const uint8_t* chosen,
                   T* grad_x);

void pool_forward_cuda(const PoolShape& shape, int64_t channels, Real real, const void* x, void* y,
                       uint8_t* chosen, void* stream);
void pool_backward_cuda(const PoolShape& shape, int64_t channels, Real real, const void* grad_y,
                        const uint8_t* chosen, void* grad_x, void* stream);

}  // namespace spikenm::kernels
