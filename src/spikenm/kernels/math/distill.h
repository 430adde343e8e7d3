// Eligibility-inspired distillation of one block: its credits become a target for its
// probabilities.
#pragma once

#include "spikenm/kernels/math/block_draw.h"

namespace spikenm::kernels {

// The credits of one block, summed over sharing channels and scaled as asked.
template <class Kind, class T>
SPIKENM_HD void load_credits(const Distillation<T>& a, int64_t b, T* credits) {
  const nm::BlockLayout& layout = a.draw.layout;
  const int32_t m = Kind::m(layout);
  if (a.credit == nullptr) {
    SPIKENM_UNROLL
    for (int32_t s = 0; s < m; ++s) credits[s] = 0;
    return;
  }
  sum_channels<Kind>(layout, b, credits, [](T c) { return c; }, a.credit);
  T sum = 0;
  SPIKENM_UNROLL
  for (int32_t s = 0; s < m; ++s) sum += credits[s];
  const T mean = sum / T(m);
  T shift = 0, divisor = 1;
  switch (a.credit_scale) {
    case CreditScale::kRaw:
      break;
    case CreditScale::kBlockMean:
      divisor = mean;
      break;
    case CreditScale::kLayerMean:
      divisor = a.layer_mean;
      break;
    case CreditScale::kBlockZ: {
      T squares = 0;
      SPIKENM_UNROLL
      for (int32_t s = 0; s < m; ++s) squares += (credits[s] - mean) * (credits[s] - mean);
      shift = mean;
      divisor = square_root(squares / T(m));
      break;
    }
  }
  // A block that earned nothing (or the same everywhere) has no preference: q is uniform.
  SPIKENM_UNROLL
  for (int32_t s = 0; s < m; ++s)
    credits[s] = divisor > T(0) ? (credits[s] - shift) / divisor : T(0);
}

// Adds the block's gradient; gives its KL(q || pi) and the squared norm of what was added.
template <class Kind, class T>
SPIKENM_HD DistillSums distill_block(const Distillation<T>& a, int64_t b) {
  const int32_t m = Kind::m(a.draw.layout);
  T q[Kind::kRoom], pi[Kind::kRoom];
  load_credits<Kind>(a, b, q);
  block_softmax<Kind>(a.draw.layout, q,
                      a.tau_q);  // Eq. (20): q = softmax(C / tau_q) inside the block
  load_block_values<Kind>(a.draw, b, pi);
  block_softmax<Kind>(a.draw.layout, pi,
                      T(1));  // Eq. (19): pi = softmax(theta), logits without constraint
  T gradient[Kind::kRoom], kl = 0, squares = 0;
  load_row<Kind>(a.draw.layout, a.grad_logits + b * m, gradient);
  SPIKENM_UNROLL
  for (int32_t s = 0; s < m; ++s) {
    // Eq. (21): L_EID = (1/B) sum_i KL(q_i || pi_i); its gradient on theta is (lambda/B)(pi - q).
    const T added = a.scale * (pi[s] - q[s]);
    gradient[s] += added;
    squares += added * added;
    const T least = T(1e-30);  // below it a probability counts for nothing
    if (q[s] > least) kl += q[s] * (log_positive(q[s]) - log_positive(larger(pi[s], least)));
  }
  store_row<Kind>(a.draw.layout, gradient, a.grad_logits + b * m);
  return {.kl = static_cast<double>(kl), .squared_norm = static_cast<double>(squares)};
}

}  // namespace spikenm::kernels
