// An input that is the same at every time step.
#pragma once

#include "spikenm/ops/tensor_args.h"

namespace spikenm::ops {

// A constant x [1,...] as [steps,...], one step's memory seen so often; any other x as it is.
Tensor at_all_steps(const Tensor& x, int64_t steps);

}  // namespace spikenm::ops
