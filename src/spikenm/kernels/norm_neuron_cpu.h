// Batch norm and neuron over a whole sequence on the CPU: the membrane stays in registers, only
// spikes go to memory, and the backward computes the membrane again from x. The unfused twins are
// batch_norm.h and neuron_seq.h. Neurons with more than one state variable are not supported.
//
// x and grad_x are [input_steps, rows, channels], channels innermost; a row is one position of one
// sample. spikes and grad_spikes are [steps, rows, channels]. input_steps is `steps`, or 1 if the
// input is the same at every step.
#pragma once

#include "spikenm/core/cpu_features.h"
#include "spikenm/kernels/math/neuron_step.h"

#include <cstdint>

namespace spikenm::kernels {

template <class T>
struct NormNeuron {
  NeuronParams params;
  int64_t steps = 0, input_steps = 0;
  int64_t rows = 0, channels = 0;
  const T* x = nullptr;
  // The neuron's input is gamma (x - mean) inverse_std + beta. Without a norm all of these are null
  // and the input is x.
  const T *gamma = nullptr, *beta = nullptr;  // [channels]
  T *mean = nullptr, *variance = nullptr, *inverse_std = nullptr;
  double eps = 1e-5;
  // True: mean, biased variance and inverse_std are this batch's; forward writes them, and backward
  // treats them as functions of x. False: they are constants, and variance may be null.
  bool measures = false;
  // [channels], may be null: the forward adds to it the mean of spike + |v| over all steps and rows,
  // where v is the membrane after the reset.
  T* activity = nullptr;

  [[nodiscard]] bool has_norm() const { return gamma != nullptr; }
  [[nodiscard]] int64_t neurons() const { return rows * channels; }        // in one step
  [[nodiscard]] int64_t input_rows() const { return input_steps * rows; }  // in all steps
};

template <class T>
struct NormNeuronGradients {
  const T* grad_spikes = nullptr;
  T* grad_x = nullptr;                            // may be grad_spikes
  T *grad_gamma = nullptr, *grad_beta = nullptr;  // [channels]; only with a norm
};

// Plain loops over channels [begin, end), one thread. A learnt leak gets no gradient.
template <class T>
void norm_neuron_forward_ref(const NormNeuron<T>& args, T* spikes, int64_t begin, int64_t end);
// `membrane` has room for [steps].
template <class T>
void norm_neuron_backward_ref(const NormNeuron<T>& args, const NormNeuronGradients<T>& gradients,
                              T* membrane, int64_t begin, int64_t end);

// On several threads, at a given instruction-set level. Sums are made per chunk of rows and added
// in the order of the chunks.
void norm_neuron_forward_cpu(const NormNeuron<float>& args, float* spikes, Isa isa = active_isa());
void norm_neuron_backward_cpu(const NormNeuron<float>& args,
                              const NormNeuronGradients<float>& gradients, Isa isa = active_isa());

}  // namespace spikenm::kernels
