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

// Numbers stay where the logits are, as 0-d tensors: reading one waits for the GPU.
struct DistillationResult {
  at::Tensor kl_sum;        // sum over the layer's blocks of KL(q || pi)
  at::Tensor squared_norm;  // of the gradient that was added
};

// Adds the gradient of lambda * L_EID to logits.grad. `n_blocks` counts the blocks of the network.
DistillationResult distill(const Distillation& options, const ops::MaskDraw& draw,
                           const at::Tensor& logits, const at::Tensor& weight,
                           const at::Tensor& credit, int64_t n_blocks);

// The squared Euclidean norm, as a 0-d double tensor.
at::Tensor squared_norm(const at::Tensor& t);

}  // namespace spikenm::sparsity
