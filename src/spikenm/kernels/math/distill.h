// Eligibility-inspired distillation of one block: its credits become a target for its
// probabilities.
#pragma once

#include "spikenm/kernels/math/block_draw.h"

namespace spikenm::kernels {

// The credits of one block, summed over the weight blocks that share its mask.
template <class Kind, class T>
SPIKENM_HD void sum_credits(const Distillation<T>& a, int64_t b, T* credits) {
  const nm::BlockLayout& layout = a.draw.layout;
  if (!a.times_weight)
    return sum_members<Kind>(layout, b, credits, [](T c) { return c; }, a.credit);
  sum_members<Kind>(
      layout, b, credits, [](T c, T w) { return c * absolute(w); }, a.credit, a.draw.weight);
}

// The same, scaled.
template <class Kind, class T>
SPIKENM_HD void load_credits(const Distillation<T>& a, int64_t b, T* credits) {
  const nm::BlockLayout& layout = a.draw.layout;
  const int32_t m = Kind::m(layout);
  if (a.credit == nullptr) {
    SPIKENM_UNROLL
    for (int32_t s = 0; s < m; ++s) credits[s] = 0;
    return;
  }

  sum_credits<Kind>(a, b, credits);
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

  // A block whose credits are all zero (or, for kBlockZ, all equal) has no preference: q is
  // uniform.
  const T least = T(1.17549435e-38);  // the least normal float
  const T share = divisor >= least ? quotient(T(1), divisor) : T(0);
  SPIKENM_UNROLL
  for (int32_t s = 0; s < m; ++s) credits[s] = (credits[s] - shift) * share;
}

// Adds the block's gradient to `gradient`; returns its KL(q || pi) and the squared norm of what was
// added. `values` are the block's, from load_block_values.
template <class Kind, class T>
SPIKENM_HD DistillSums distill_block(const Distillation<T>& a, int64_t b, const T* values,
                                     T* gradient) {
  const int32_t m = Kind::m(a.draw.layout);
  T credits[Kind::kRoom], q[Kind::kRoom], student[Kind::kRoom], pi[Kind::kRoom];
  load_credits<Kind>(a, b, credits);
  if (!a.pi_has_prior) load_row<Kind>(a.draw.layout, a.draw.logits + b * m, student);

  SPIKENM_UNROLL
  for (int32_t s = 0; s < m; ++s) {
    q[s] = credits[s];
    if (a.pi_has_prior) student[s] = values[s];
    pi[s] = student[s];
  }

  // Eq. (20): q = softmax(C / tau_q) inside the block
  const SoftmaxSum<T> q_sum = block_softmax<Kind>(a.draw.layout, q, a.tau_q);
  // Eq. (19): pi = softmax(theta), logits without constraint
  const SoftmaxSum<T> pi_sum = block_softmax<Kind>(a.draw.layout, pi, T(1));

  // log q - log pi at a position is the difference of the exponents and of the logarithms of both
  // sums.
  const T rate = quotient(T(1), a.tau_q);
  T kl = log_positive(pi_sum.sum) - log_positive(q_sum.sum), squares = 0;
  SPIKENM_UNROLL
  for (int32_t s = 0; s < m; ++s) {
    // Eq. (21): L_EID = (1/B) sum_i KL(q_i || pi_i); its gradient on theta is (lambda/B)(pi - q).
    const T added = a.scale * (pi[s] - q[s]);
    gradient[s] += added;
    squares += added * added;
    kl += q[s] * ((credits[s] - q_sum.top) * rate - (student[s] - pi_sum.top));
  }
  return {.kl = static_cast<double>(kl), .squared_norm = static_cast<double>(squares)};
}

// The same, with values and gradient read from and written to memory.
template <class Kind, class T>
SPIKENM_HD DistillSums distill_block(const Distillation<T>& a, int64_t b) {
  const int32_t m = Kind::m(a.draw.layout);
  T values[Kind::kRoom], gradient[Kind::kRoom];
  load_block_values<Kind>(a.draw, b, values);
  load_row<Kind>(a.draw.layout, a.grad_logits + b * m, gradient);
  const DistillSums sums = distill_block<Kind>(a, b, values, gradient);
  store_row<Kind>(a.draw.layout, gradient, a.grad_logits + b * m);
  return sums;
}

}  // namespace spikenm::kernels
