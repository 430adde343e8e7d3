// A layer's distillation as the arguments of a kernel; only for the sources of this folder.
#pragma once

#include "spikenm/kernels/nm_sample.h"
#include "spikenm/ops/distill.h"

namespace spikenm::ops {

// The kernel adds to `gradient` [n_blocks, m]. `layer_mean` is read for CreditScale::kLayerMean.
template <class T>
kernels::Distillation<T> distillation_args(const Distillation& distillation, const DrawRule& rule,
                                           const Tensor& logits, const Tensor& weight,
                                           double layer_mean, const Tensor& gradient) {
  const CreditTarget& target = distillation.target;
  return {.draw = {.layout = rule.layout,
                   .logits = data<T>(logits),
                   .weight = data<T>(weight),
                   .kappa = static_cast<T>(rule.kappa)},
          .credit = target.is_uniform() ? nullptr : data<T>(distillation.credit->credit),
          .times_weight = target.kind == TargetKind::kCreditWeight,
          .pi_has_prior = distillation.pi_has_prior,
          .credit_scale = target.credit_scale,
          .layer_mean = static_cast<T>(layer_mean),
          .tau_q = static_cast<T>(target.tau_q),
          .scale = static_cast<T>(distillation.scale),
          .grad_logits = data<T>(gradient)};
}

}  // namespace spikenm::ops
