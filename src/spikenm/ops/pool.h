// Square pooling over [T,B,C,H,W], as a differentiable op.
#pragma once

#include "spikenm/kernels/pool.h"
#include "spikenm/ops/tensor_args.h"

namespace spikenm::ops {

using kernels::PoolGeometry;
using kernels::PoolKind;

// Rows and columns that fill no window are left out.
Tensor pool(const Tensor& x, const PoolGeometry& geometry);

// Its forward alone, for ops with a backward of their own: `chosen` as kernels/pool.h leaves it,
// and empty for an average.
struct Pooled {
  Tensor values, chosen;
};
Pooled pool_values(const Tensor& x, const PoolGeometry& geometry);
kernels::PoolShape pool_shape(const Tensor& x, const PoolGeometry& geometry);

}  // namespace spikenm::ops
