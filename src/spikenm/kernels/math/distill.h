// Eligibility-inspired distillation of one block: its credits become a target for its
// probabilities.
#pragma once

#include "spikenm/kernels/math/block_draw.h"

namespace spikenm::kernels {

// The credits of one block, summed over sharing channels and scaled as asked.
template <class T>
SPIKENM_HD void load_credits(const Distillation<T>& a, int64_t b, T* credits) {
  const nm::BlockLayout& layout = a.draw.layout;
  const int32_t m = layout.m;
  for (int32_t s = 0; s < m; ++s) credits[s] = 0;
  if (a.credit == nullptr) return;
  const int64_t start = layout.start(b);
  const int32_t channels = layout.channels_of(b);
  T sum = 0;
  for (int32_t s = 0; s < m; ++s) {
    for (int32_t c = 0; c < channels; ++c)
      credits[s] += a.credit[start + c * layout.channel_stride + s * layout.position_stride];
    sum += credits[s];
  }
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
      for (int32_t s = 0; s < m; ++s) squares += (credits[s] - mean) * (credits[s] - mean);
      shift = mean;
      divisor = square_root(squares / T(m));
      break;
    }
  }
  // A block that earned nothing (or the same everywhere) has no preference: q is uniform.
  for (int32_t s = 0; s < m; ++s)
    credits[s] = divisor > T(0) ? (credits[s] - shift) / divisor : T(0);
}

// Adds the block's gradient and gives its KL(q || pi).
template <int kRoom, class T>
SPIKENM_HD double distill_block(const Distillation<T>& a, int64_t b) {
  const int32_t m = a.draw.layout.m;
  T q[kRoom], pi[kRoom];
  load_credits(a, b, q);
  block_softmax(q, m, a.tau_q);  // Eq. (20): q = softmax(C / tau_q) inside the block
  load_block_values(a.draw, b, pi);
  block_softmax(pi, m, T(1));  // Eq. (19): pi = softmax(theta), logits without constraint
  double kl = 0;
  for (int32_t s = 0; s < m; ++s) {
    // Eq. (21): L_EID = (1/B) sum_i KL(q_i || pi_i); its gradient on theta is (lambda/B)(pi - q).
    a.grad_logits[b * m + s] += a.scale * (pi[s] - q[s]);
    if (q[s] > T(0))
      kl += static_cast<double>(q[s]) * (log_positive(static_cast<double>(q[s])) -
                                         log_positive(larger(static_cast<double>(pi[s]), 1e-300)));
  }
  return kl;
}

}  // namespace spikenm::kernels
