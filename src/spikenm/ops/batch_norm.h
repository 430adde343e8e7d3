// Batch normalisation over the folded [T*B], as a differentiable op.
#pragma once

#include "spikenm/ops/tensor_args.h"

namespace spikenm::ops {

struct BatchNormState {
  Tensor gamma, beta;                // [C], trained
  Tensor running_mean, running_var;  // [C], updated while training
  double eps = 1e-5, momentum = 0.1;
};

// Throws Error if a channel of x [T,B,C,...] has only one value: it has no variance.
void check_has_statistics(const Tensor& x);

// x [T,B,C,...] -> the same shape. Training uses the statistics of this batch and updates the
// running ones.
Tensor batch_norm(const Tensor& x, BatchNormState& state, bool training);

}  // namespace spikenm::ops
