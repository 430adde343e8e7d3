// One block: the values it is drawn by, Gumbel-max draws, and softmax. Plain loops over m <= 64
// positions, on the host and on CUDA.
#pragma once

#include "spikenm/kernels/math/gumbel.h"
#include "spikenm/kernels/nm_sample.h"

namespace spikenm::kernels {

SPIKENM_HD double log_positive(double x) {
  return __builtin_log(x);
}

// values[s] = theta_s + kappa log max(|w_s|, 1e-8).
template <class T>
SPIKENM_HD void load_block_values(const DrawInputs<T>& in, int64_t b, T* values) {
  const int32_t m = in.layout.m;
  for (int32_t s = 0; s < m; ++s) values[s] = in.logits[b * m + s];
  if (in.kappa == T(0)) return;
  const int64_t start = in.layout.start(b);
  const int32_t channels = in.layout.channels_of(b);
  for (int32_t s = 0; s < m; ++s) {
    T sum = 0;
    for (int32_t c = 0; c < channels; ++c)
      sum =
          sum +
          absolute(in.weight[start + c * in.layout.channel_stride + s * in.layout.position_stride]);
    const T mean = larger(sum / T(channels), T(1e-8));
    values[s] = values[s] + in.kappa * log_positive(mean);
  }
}

// Eq. (14): y_k = onehot(argmax_s [log pi_s + g_{k,s}]). The normaliser of log pi is the same for
// all s and is left out. noise_at(k, s) gives g; ties go to the lowest position; without
// replacement the positions already taken are out of the race.
template <class NoiseAt>
SPIKENM_HD void draw_block(const float* values, int32_t m, int32_t n_draws, bool replace,
                           float scale, NoiseAt&& noise_at, uint8_t* draws) {
  uint64_t taken = 0;
  for (int32_t k = 0; k < n_draws; ++k) {
    int32_t best = -1;
    float best_key = 0;
    for (int32_t s = 0; s < m; ++s) {
      if (!replace && (taken >> s & 1) != 0) continue;
      const float key = fused(scale, noise_at(k, s), values[s]);
      if (best < 0 || key > best_key) {
        best = s;
        best_key = key;
      }
    }
    taken |= uint64_t{1} << best;
    draws[k] = static_cast<uint8_t>(best);
  }
}

// The noise of position s of draw k of block b, one at a time.
SPIKENM_HD float gumbel_at(uint64_t seed, uint32_t stream, uint32_t step, int64_t b, int32_t k,
                           int32_t s, int32_t m) {
  const uint64_t counter = gumbel_counter(b, k, s / 4, m);
  const auto words = philox<uint32_t>(seed, stream, step, static_cast<uint32_t>(counter),
                                      static_cast<uint32_t>(counter >> 32));
  return gumbel<float>(words.word[s % 4]);
}

// In place softmax(values / tau) over the positions whose bit in `out` is clear; the others become
// 0.
template <class T>
SPIKENM_HD void block_softmax(T* values, int32_t m, T tau, uint64_t out = 0) {
  T top = 0;
  bool any = false;
  for (int32_t s = 0; s < m; ++s) {
    if ((out >> s & 1) != 0) continue;
    if (!any || values[s] > top) top = values[s];
    any = true;
  }
  T sum = 0;
  for (int32_t s = 0; s < m; ++s) {
    values[s] = (out >> s & 1) != 0 ? T(0) : exp_nonpositive((values[s] - top) / tau);
    sum += values[s];
  }
  for (int32_t s = 0; s < m; ++s) values[s] /= sum;
}

}  // namespace spikenm::kernels
