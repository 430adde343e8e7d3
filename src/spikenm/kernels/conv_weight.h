// A convolution's weight as its products want it, made in one pass over the weight [out, in, taps]
// that is trained.
#pragma once

#include "spikenm/kernels/real.h"

#include <cstdint>

namespace spikenm::kernels {

struct ConvWeight {
  Real real = Real::kFloat;  // of what is made
  int64_t out = 0, in = 0, taps = 1;
  bool from_float = true;  // what the weight is; else of type `real` already
  const void* weight = nullptr;
  void* forward = nullptr;  // [out, taps, in]: channels-last
  // [in, taps, out] with the taps in reverse: with stride 1 the convolution that takes a gradient
  // back to the input. Or null.
  void* backward = nullptr;
};

void conv_weight_cuda(const ConvWeight& args, void* stream);

}  // namespace spikenm::kernels
