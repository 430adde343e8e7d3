// From the last layer to class scores, and from a map to features. Plain arithmetic.
#pragma once

#include "spikenm/ops/tensor_args.h"

namespace spikenm::ops {

// Mean over groups of `voters` consecutive outputs: [T,B,K*voters] -> [T,B,K].
Tensor vote(const Tensor& x, int64_t voters);

// Mean over a whole map, square or not: [T,B,C,H,W] -> [T,B,C].
Tensor global_average(const Tensor& x);

// Analog values in a type that is exact enough: float if the products had 16 bits.
Tensor exact(const Tensor& x);

}  // namespace spikenm::ops
