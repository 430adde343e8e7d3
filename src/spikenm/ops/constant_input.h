// An input that is the same at every time step.
#pragma once

#include "spikenm/ops/tensor_args.h"

namespace spikenm::ops {

// A constant x [1,...] as [steps,...], a view that shows one step's memory in every step; any other
// x is returned unchanged.
Tensor at_all_steps(const Tensor& x, int64_t steps);

}  // namespace spikenm::ops
