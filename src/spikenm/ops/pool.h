// Square pooling over [T,B,C,H,W], as a differentiable op.
#pragma once

#include "spikenm/kernels/pool.h"
#include "spikenm/ops/tensor_args.h"

namespace spikenm::ops {

using kernels::PoolGeometry;
using kernels::PoolKind;

// Rows and columns that fill no window are left out.
Tensor pool(const Tensor& x, const PoolGeometry& geometry);

}  // namespace spikenm::ops
