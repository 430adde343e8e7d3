// A convolution's input as the rows of a matrix, for inputs with few channels: tensor cores need
// long rows, and a 3x3 patch of two or three channels makes one.
#pragma once

#include "spikenm/kernels/real.h"

#include <cstdint>

namespace spikenm::kernels {

// x [n, channels, height, width], at any strides -> rows [n * out_height * out_width, columns]: the
// patch that each output place reads, tap by tap, channels innermost, then zeros up to `columns`.
struct Patches {
  int64_t n = 0, channels = 0, height = 0, width = 0;
  int64_t x_strides[4] = {};  // in elements
  int64_t kernel_height = 1, kernel_width = 1, stride = 1, padding = 0;
  int64_t out_height = 0, out_width = 0;
  int64_t columns = 0;  // a multiple of 8
  Real x_real = Real::kFloat, real = Real::kFloat;
  const void* x = nullptr;
  void* rows = nullptr;
};

void patches_cuda(const Patches& args, void* stream);

}  // namespace spikenm::kernels
