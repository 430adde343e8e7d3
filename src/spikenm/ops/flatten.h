// A map as a row of numbers, channel by channel.
#pragma once

#include "spikenm/ops/tensor_args.h"

namespace spikenm::ops {

// [T,B,C,H,W] -> [T,B,C*H*W] contiguous; a flat x is returned unchanged.
Tensor flatten(const Tensor& x);

}  // namespace spikenm::ops
