// The pieces of norm_neuron at one instruction-set level. begin and end count rows.
#pragma once

#include "spikenm/kernels/norm_neuron_cpu.h"

namespace spikenm::kernels {

// The norm as y = scale x + shift, and the mean, which its backward also needs; [channels] each.
struct NormMap {
  const float *scale = nullptr, *shift = nullptr, *mean = nullptr;
};

// dx = scale (dy - mean_grad - (x - mean) slope); [channels] each.
struct NormBackMap {
  const float *mean_grad = nullptr, *slope = nullptr;
};

struct NormNeuronKernels {
  // sums = sum of x over `rows` rows, squares = sum of (x - mean of those rows)^2.
  void (*measure)(const float* x, int64_t rows, int64_t channels, float* sums, float* squares);
  // Rows of one step, run over all steps. Unless `activity` is null, it gets the sums over the range
  // of spike + |v|; [channels].
  void (*forward)(const NormNeuron<float>&, const NormMap&, float* spikes, float* activity,
                  int64_t begin, int64_t end);
  // Writes dL/dy to grad_x, and over the range the sums of dy to `sums` and of dy (x - mean) to
  // `dots`; `membrane` has room for [steps, 16].
  void (*backward)(const NormNeuron<float>&, const NormMap&, const NormNeuronGradients<float>&,
                   float* membrane, float* sums, float* dots, int64_t begin, int64_t end);
  // Turns dL/dy in grad_x into dL/dx; the range is over the rows of all steps.
  void (*finish)(const NormNeuron<float>&, const NormMap&, const NormBackMap&, float* grad_x,
                 int64_t begin, int64_t end);
};

}  // namespace spikenm::kernels
