// Eligibility-inspired distillation: temporal credits become targets of the mask's probabilities.
#pragma once

#include "spikenm/ops/nm_mask.h"

namespace spikenm::sparsity {

struct Distillation {
  double lambda = 5;
  bool mean_over_blocks = true;  // divide by the number of blocks of the network
  double tau_q = 1;
  kernels::CreditScale credit_scale = kernels::CreditScale::kBlockMean;
  bool uniform_target = false;  // KL(uniform || pi): tells a credit from a flattening regulariser
};

// What distillation did to a layer; ops::running_sum each.
struct DistillationSums {
  at::Tensor kl;            // KL(q || pi)
  at::Tensor squared_norm;  // of the gradient that was added
};

// Adds the gradient of lambda * L_EID to logits.grad, and what it did to `sums`. `n_blocks` counts
// the blocks of the network.
void distill(const Distillation& options, const ops::MaskDraw& draw, const at::Tensor& logits,
             const at::Tensor& weight, const at::Tensor& credit, int64_t n_blocks,
             DistillationSums& sums);

// The same as arguments of a kernel that adds to `gradient` while it makes it.
kernels::Distillation<float> distillation_arguments(const Distillation& options,
                                                    const ops::MaskDraw& draw,
                                                    const at::Tensor& logits,
                                                    const at::Tensor& weight,
                                                    const at::Tensor& credit, int64_t n_blocks,
                                                    const at::Tensor& gradient);

}  // namespace spikenm::sparsity
