// Batch normalisation over [rows, channels, spatial]; rows are the folded [T*B]. One thread sums
// each channel, in a fixed order.
#pragma once

#include <cstdint>

namespace spikenm::kernels {

template <class T>
struct BatchNorm {
  int64_t rows = 0, channels = 0, spatial = 0;
  const T* x = nullptr;
  const T* gamma = nullptr;  // [channels]
  const T* beta = nullptr;
  T* mean = nullptr;  // [channels]; batch_norm_statistics writes both, the others read them
  T* inverse_std = nullptr;
  double eps = 1e-5;
};

// Mean and 1/sqrt(var + eps) of the batch, from the biased variance, which goes to `variance`
// [channels].
template <class T>
void batch_norm_statistics(const BatchNorm<T>& args, T* variance);

// y = (x - mean) * inverse_std * gamma + beta.
template <class T>
void batch_norm_apply(const BatchNorm<T>& args, T* y);

// Gradients when mean and inverse_std came from this batch. grad_x may be grad_y.
template <class T>
void batch_norm_backward(const BatchNorm<T>& args, const T* grad_y, T* grad_x, T* grad_gamma,
                         T* grad_beta);

}  // namespace spikenm::kernels
