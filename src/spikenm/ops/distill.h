// Eligibility-inspired distillation: temporal credits become targets of the mask's probabilities.
#pragma once

#include "spikenm/ops/draw_rule.h"
#include "spikenm/ops/synapse.h"

namespace spikenm::ops {

// What the target of a block's probabilities is made of. kUniform shows whether credits do more
// than flatten them; kCreditWeight multiplies each credit by its |w|.
enum class TargetKind { kCredit, kUniform, kCreditWeight };

// How the credits of a block become the target q of its probabilities pi.
struct CreditTarget {
  TargetKind kind = TargetKind::kCredit;
  double tau_q = 1;
  nm::CreditScale credit_scale = nm::CreditScale::kBlockMean;

  [[nodiscard]] bool is_uniform() const { return kind == TargetKind::kUniform; }
};

// What distillation did to a layer since its sums were zeroed; each is a running_sum.
struct DistillationSums {
  Tensor kl;            // KL(q || pi)
  Tensor squared_norm;  // of the gradient that was added
};

// The distillation of one layer: scale * (pi - q) is added to the gradient of its logits.
struct Distillation {
  CreditTarget target;
  bool pi_has_prior = true;                  // pi is of logits and prior, or of the logits alone
  double scale = 0;                          // lambda, divided by the number of blocks for a mean
  std::shared_ptr<const CreditSink> credit;  // written by the backward; null if q is uniform
  DistillationSums sums;
};

// Adds the distillation's gradient to logits.grad, and its sums to distillation.sums.
void distill(const Distillation& distillation, const DrawRule& rule, const Tensor& logits,
             const Tensor& weight);

// Whether the backward of a mask with these logits can distil in its own pass (MaskDraw in
// ops/nm_sample.h): it can on a GPU, unless all credits of the layer must be known first.
bool distills_in_backward(const CreditTarget& target, const Tensor& logits);

}  // namespace spikenm::ops
