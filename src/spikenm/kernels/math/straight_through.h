// The straight-through gradient of one block: the formulas of the reference, CPU and CUDA kernels.
// noise_at(k, s) returns the Gumbel noise of position s of draw k, the same as in the forward.
#pragma once

#include "spikenm/kernels/math/block_draw.h"

namespace spikenm::kernels {

// G_s = sum over the weight blocks that share the mask of (dL/dW_eff,s) W_s.
template <class Kind, class T>
SPIKENM_HD void load_mask_gradient(const nm::BlockLayout& layout, const T* weight,
                                   const T* grad_effective, int64_t b, T* gradient) {
  sum_members<Kind>(layout, b, gradient, [](T g, T w) { return g * w; }, grad_effective, weight);
}

// Eq. (15): y~_k = softmax((log pi + g_k)/tau), the relaxed draw k; positions whose bit in `out` is
// set are left out.
template <class Kind, class T, class NoiseAt>
SPIKENM_HD void relaxed_draw(const StraightThrough<T>& a, const T* values, typename Kind::Bits out,
                             int32_t k, NoiseAt&& noise_at, T* y) {
  SPIKENM_UNROLL
  for (int32_t s = 0; s < Kind::m(a.draw.layout); ++s)
    y[s] = values[s] + a.draw.noise * T(noise_at(k, s));
  block_softmax<Kind>(a.draw.layout, y, a.tau, out);
}

// Eq. (16)-(17): the loss sees the mask made of y^_k = y~_k - stopgrad(y~_k - y_k), which has the
// value of the hard draw and the gradient of the relaxed one. With u_k = dL/dy^_k the backward of
// the softmax is
//   dL/dtheta_r = sum_k (1/tau) y~_{k,r} (u_{k,r} - sum_s y~_{k,s} u_{k,s}).
// `values` are the block's, from load_block_values. Returns the squared norm of the block's
// gradient.
template <class Kind, class T, class NoiseAt>
SPIKENM_HD T straight_through_block(const StraightThrough<T>& a, int64_t b, const T* values,
                                    NoiseAt&& noise_at, T* grad_values) {
  using Bits = typename Kind::Bits;
  const DrawInputs<T>& in = a.draw;
  const int32_t m = Kind::m(in.layout), n = in.n_draws;
  const uint8_t* draws = a.draws + b * n;
  const bool literal = a.or_gradient == OrGradient::kLiteral;
  T gradient[Kind::kRoom], y[Kind::kRoom], u[Kind::kRoom];
  load_mask_gradient<Kind>(in.layout, a.weight, a.grad_effective, b, gradient);

  Bits once = 0, twice = 0;  // positions taken by one draw, and by more than one
  for (int32_t k = 0; k < n; ++k) {
    const Bits drawn = Bits{1} << draws[k];
    twice |= once & drawn;
    once |= drawn;
  }

  SPIKENM_UNROLL
  for (int32_t s = 0; s < m; ++s) grad_values[s] = 0;
  Bits earlier = 0;
  for (int32_t k = 0; k < n; ++k) {
    const Bits drawn = Bits{1} << draws[k];
    // M = 1 - prod_l (1 - y^_l), so u_k,s = G_s prod_{l != k} (1 - y_l,s): hard values (literal) or
    // relaxed ones (soft). Without replacement the mask is the plain sum of the draws, u_k = G, and
    // positions taken by earlier draws are excluded.
    const Bits by_others = in.replace && literal ? (once & ~drawn) | twice : Bits{0};
    SPIKENM_UNROLL
    for (int32_t s = 0; s < m; ++s) u[s] = (by_others >> s & 1) != 0 ? T(0) : gradient[s];
    for (int32_t l = 0; in.replace && !literal && l < n; ++l) {
      if (l == k) continue;
      relaxed_draw<Kind>(a, values, Bits{0}, l, noise_at, y);
      SPIKENM_UNROLL
      for (int32_t s = 0; s < m; ++s) u[s] *= T(1) - y[s];
    }

    relaxed_draw<Kind>(a, values, in.replace ? Bits{0} : earlier, k, noise_at, y);
    earlier |= drawn;
    T dot = 0;
    SPIKENM_UNROLL
    for (int32_t s = 0; s < m; ++s) dot += y[s] * u[s];
    SPIKENM_UNROLL
    for (int32_t s = 0; s < m; ++s) grad_values[s] += y[s] * (u[s] - dot);
  }

  const T rate = quotient(T(1), a.tau);
  T squares = 0;
  SPIKENM_UNROLL
  for (int32_t s = 0; s < m; ++s) {
    grad_values[s] *= rate;
    squares += grad_values[s] * grad_values[s];
  }
  return squares;
}

// The same, with values and gradient read from and written to memory.
template <class Kind, class T, class NoiseAt>
SPIKENM_HD T straight_through_block(const StraightThrough<T>& a, int64_t b, NoiseAt&& noise_at) {
  T values[Kind::kRoom], grad_values[Kind::kRoom];
  load_block_values<Kind>(a.draw, b, values);
  const T squares = straight_through_block<Kind>(a, b, values, noise_at, grad_values);
  store_row<Kind>(a.draw.layout, grad_values, a.grad_logits + b * Kind::m(a.draw.layout));
  return squares;
}

}  // namespace spikenm::kernels
