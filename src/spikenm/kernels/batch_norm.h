// Batch normalisation over [rows, channels, spatial], rows being the folded [T*B]. Every channel is
// summed by one thread in a fixed order.
#pragma once

#include <cstdint>

namespace spikenm::kernels {

template <class T>
struct BatchNorm {
  int64_t rows = 0, channels = 0, spatial = 0;
  const T* x = nullptr;
  const T* gamma = nullptr;  // [channels]
  const T* beta = nullptr;
  T* mean = nullptr;  // [channels] written by batch_norm_statistics, read by the others
  T* inverse_std = nullptr;
  double eps = 1e-5;
};

// mean and 1/sqrt(var + eps) of the batch, with the biased variance; `variance` [channels] as well.
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
