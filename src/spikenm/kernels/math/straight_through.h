// The straight-through gradient of one block: the formulas that the reference, the CPU and the CUDA
// kernel run. noise_at(k, s) gives the Gumbel noise of position s of draw k, as the forward drew
// it. kRoom is the largest m a caller has; small blocks then stay in registers on a GPU.
#pragma once

#include "spikenm/kernels/math/block_draw.h"

namespace spikenm::kernels {

// G_s = sum over sharing channels of (dL/dW_eff,s) W_s.
template <class T>
SPIKENM_HD void load_mask_gradient(const nm::BlockLayout& layout, const T* weight,
                                   const T* grad_effective, int64_t b, T* gradient) {
  const int64_t start = layout.start(b);
  const int32_t channels = layout.channels_of(b);
  for (int32_t s = 0; s < layout.m; ++s) {
    T sum = 0;
    for (int32_t c = 0; c < channels; ++c) {
      const int64_t at = start + c * layout.channel_stride + s * layout.position_stride;
      sum += grad_effective[at] * weight[at];
    }
    gradient[s] = sum;
  }
}

// Eq. (15): y~_k = softmax((log pi + g_k)/tau), the relaxed draw k. Without replacement, positions
// taken by earlier draws are out of it.
template <class T, class NoiseAt>
SPIKENM_HD void relaxed_draw(const StraightThrough<T>& a, const T* values, const uint8_t* draws,
                             int32_t k, NoiseAt&& noise_at, T* y) {
  const int32_t m = a.draw.layout.m;
  uint64_t taken = 0;
  for (int32_t l = 0; !a.draw.replace && l < k; ++l) taken |= uint64_t{1} << draws[l];
  for (int32_t s = 0; s < m; ++s) y[s] = values[s] + a.draw.noise * T(noise_at(k, s));
  block_softmax(y, m, a.tau, taken);
}

// Eq. (16)-(17): the loss sees the mask made of y^_k = y~_k - stopgrad(y~_k - y_k): the value of
// the hard draw, the gradient of the relaxed one. With u_k = dL/dy^_k the softmax's own backward
// gives
//   dL/dtheta_r = sum_k (1/tau) y~_{k,r} (u_{k,r} - sum_s y~_{k,s} u_{k,s}).
template <int kRoom, class T, class NoiseAt>
SPIKENM_HD void straight_through_block(const StraightThrough<T>& a, int64_t b, NoiseAt&& noise_at) {
  const DrawInputs<T>& in = a.draw;
  const int32_t m = in.layout.m, n = in.n_draws;
  const uint8_t* draws = a.draws + b * n;
  T values[kRoom], gradient[kRoom], y[kRoom], u[kRoom], sum[kRoom];
  load_block_values(in, b, values);
  load_mask_gradient(in.layout, a.weight, a.grad_effective, b, gradient);
  for (int32_t s = 0; s < m; ++s) sum[s] = 0;
  for (int32_t k = 0; k < n; ++k) {
    // M = 1 - prod_l (1 - y^_l), so u_k,s = G_s prod_{l != k} (1 - y_l,s): hard values (literal) or
    // relaxed ones (soft). Without replacement the mask is the plain sum of draws and u_k = G.
    for (int32_t s = 0; s < m; ++s) u[s] = gradient[s];
    for (int32_t l = 0; in.replace && l < n; ++l) {
      if (l == k) continue;
      if (a.or_gradient == OrGradient::kLiteral) {
        u[draws[l]] = 0;
      } else {
        relaxed_draw(a, values, draws, l, noise_at, y);
        for (int32_t s = 0; s < m; ++s) u[s] *= T(1) - y[s];
      }
    }
    relaxed_draw(a, values, draws, k, noise_at, y);
    T dot = 0;
    for (int32_t s = 0; s < m; ++s) dot += y[s] * u[s];
    for (int32_t s = 0; s < m; ++s) sum[s] += y[s] * (u[s] - dot) / a.tau;
  }
  for (int32_t s = 0; s < m; ++s) a.grad_logits[b * m + s] = sum[s];
}

}  // namespace spikenm::kernels
