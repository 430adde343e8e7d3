// Batch normalisation over the folded [T*B], as a differentiable op.
#pragma once

#include "spikenm/graph/graph.h"
#include "spikenm/ops/tensor_args.h"

namespace spikenm::ops {

struct BatchNormState {
  Tensor gamma, beta;                // [C], trained
  Tensor running_mean, running_var;  // [C], updated while training
  double eps = graph::Norm::kEpsilon, momentum = 0.1;
};

// What a norm subtracts and multiplies with, [C] each.
struct NormStatistics {
  Tensor mean, inverse_std;
};

// Evaluation: the running ones. Training: memory for those of x [T,B,C,...], which the caller
// measures; throws Error if a channel has only one value, which has no variance.
NormStatistics statistics_for(const Tensor& x, const Tensor& running_mean,
                              const Tensor& running_var, double eps, bool training);

// x [T,B,C,...] -> the same shape. Training uses the statistics of this batch and updates the
// running ones.
Tensor batch_norm(const Tensor& x, BatchNormState& state, bool training);

}  // namespace spikenm::ops
