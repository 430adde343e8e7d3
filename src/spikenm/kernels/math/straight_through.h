// The straight-through gradient of one block: the formulas the reference and the CPU kernel run.
// noise_at(k, s) gives the Gumbel noise of position s of draw k, as the forward drew it.
#pragma once

#include "spikenm/kernels/math/block_draw.h"

namespace spikenm::kernels {

// G_s = sum over sharing channels of (dL/dW_eff,s) W_s.
template <class T>
inline void load_mask_gradient(const StraightThrough<T>& a, int64_t b, T* gradient) {
  const nm::BlockLayout& layout = a.draw.layout;
  const int64_t start = layout.start(b);
  for (int32_t s = 0; s < layout.m; ++s) {
    T sum = 0;
    for (int32_t c = 0; c < layout.channels_of(b); ++c) {
      const int64_t at = start + c * layout.channel_stride + s * layout.position_stride;
      sum += a.grad_effective[at] * a.weight[at];
    }
    gradient[s] = sum;
  }
}

// Eq. (15): y~_k = softmax((log pi + g_k)/tau), the relaxed draw. Without replacement, positions
// taken by earlier draws are out of it.
template <class T, class NoiseAt>
inline void relaxed_draws(const StraightThrough<T>& a, int64_t b, NoiseAt&& noise_at, T* soft) {
  const DrawInputs<T>& in = a.draw;
  const int32_t m = in.layout.m;
  T values[nm::NmPattern::kMaxM];
  load_block_values(in, b, values);
  uint64_t taken = 0;
  for (int32_t k = 0; k < in.n_draws; ++k) {
    T* y = soft + k * m;
    for (int32_t s = 0; s < m; ++s) y[s] = values[s] + in.noise * T(noise_at(k, s));
    block_softmax(y, m, a.tau, taken);
    if (!in.replace) taken |= uint64_t{1} << a.draws[b * in.n_draws + k];
  }
}

// Eq. (16)-(17): the loss sees the mask made of y^_k = y~_k - stopgrad(y~_k - y_k): the value of
// the hard draw, the gradient of the relaxed one. With u_k = dL/dy^_k the softmax's own backward
// gives
//   dL/dtheta_r = sum_k (1/tau) y~_{k,r} (u_{k,r} - sum_s y~_{k,s} u_{k,s}).
// `soft` has room for n_draws * m values.
template <class T, class NoiseAt>
inline void straight_through_block(const StraightThrough<T>& a, int64_t b, NoiseAt&& noise_at,
                                   T* soft) {
  const DrawInputs<T>& in = a.draw;
  const int32_t m = in.layout.m, n = in.n_draws;
  const uint8_t* draws = a.draws + b * n;
  T gradient[nm::NmPattern::kMaxM];
  load_mask_gradient(a, b, gradient);
  relaxed_draws(a, b, noise_at, soft);
  T* out = a.grad_logits + b * m;
  for (int32_t s = 0; s < m; ++s) out[s] = 0;
  for (int32_t k = 0; k < n; ++k) {
    const T* y = soft + k * m;
    T u[nm::NmPattern::kMaxM];
    T dot = 0;
    for (int32_t s = 0; s < m; ++s) {
      // M = 1 - prod_l (1 - y^_l), so u_k,s = G_s prod_{l != k} (1 - y_l,s): hard values (literal)
      // or relaxed ones (soft). Without replacement the mask is the plain sum of draws and u_k = G.
      T others = 1;
      for (int32_t l = 0; in.replace && l < n; ++l) {
        if (l == k) continue;
        const T value =
            a.or_gradient == OrGradient::kSoft ? soft[l * m + s] : T(draws[l] == s ? 1 : 0);
        others *= T(1) - value;
      }
      u[s] = gradient[s] * others;
      dot += y[s] * u[s];
    }
    for (int32_t s = 0; s < m; ++s) out[s] += y[s] * (u[s] - dot) / a.tau;
  }
}

}  // namespace spikenm::kernels
