// Square pooling over [T,B,C,H,W], as a differentiable op.
#pragma once

#include "spikenm/kernels/pool.h"
#include "spikenm/ops/tensor_args.h"

namespace spikenm::ops {

using kernels::PoolKind;

// Windows of size x size, stride size; rows and columns that fill no window are left out.
Tensor pool(const Tensor& x, PoolKind kind, int64_t size);

}  // namespace spikenm::ops
