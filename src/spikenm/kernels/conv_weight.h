// A convolution's weight in the layouts that its products read, made in one pass over the trained
// weight [out, in, taps].
#pragma once

#include "spikenm/kernels/real.h"

#include <cstdint>

namespace spikenm::kernels {

struct ConvWeight {
  Real real = Real::kFloat;  // type of both results
  int64_t out = 0, in = 0, taps = 1;
  bool from_float = true;  // `weight` is float; otherwise of type `real`
  const void* weight = nullptr;
  void* forward = nullptr;  // [out, taps, in]: channels-last
  // [in, taps, out] with the taps reversed. With stride 1, convolving with it carries a gradient
  // back to the input. May be null.
  void* backward = nullptr;
};

void conv_weight_cuda(const ConvWeight& args, void* stream);

}  // namespace spikenm::kernels
