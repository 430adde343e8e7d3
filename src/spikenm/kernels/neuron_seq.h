// A neuron over a whole sequence, forward and backward: the contract of every backend.
//
// Arrays are [steps, n]: time outermost, the n neurons contiguous, no alignment needed. Pointers
// may be equal only where said. The membrane starts at v_reset (0 with soft reset), a synaptic
// current at 0.
#pragma once

#include "spikenm/core/cpu_features.h"
#include "spikenm/kernels/math/neuron_step.h"

#include <cstdint>

namespace spikenm::kernels {

template <class T>
struct NeuronForward {
  NeuronParams params;
  int64_t steps = 0, n = 0;
  const T* x = nullptr;  // input current
  T* spikes = nullptr;   // 0 or 1
  T* h = nullptr;        // membrane before the reset, kept for backward; may be null
  T* v = nullptr;        // membrane after the reset; may be null
};

template <class T>
struct NeuronBackward {
  NeuronParams params;
  int64_t steps = 0, n = 0;
  const T* grad_spikes = nullptr;
  const T* h = nullptr;  // as the forward wrote it
  const T* x = nullptr;  // read only for a learnt leak
  T* grad_x = nullptr;   // may be grad_spikes
};

// Plain loops over neurons [begin, end), one thread.
template <class T>
void neuron_forward_ref(const NeuronForward<T>& args, int64_t begin, int64_t end);
// Returns dL/dk, 0 unless the neuron learns its leak.
template <class T>
double neuron_backward_ref(const NeuronBackward<T>& args, int64_t begin, int64_t end);

// On several threads, at a given instruction-set level. dL/dk is summed in a fixed order.
void neuron_forward_cpu(const NeuronForward<float>& args, Isa isa = active_isa());
double neuron_backward_cpu(const NeuronBackward<float>& args, Isa isa = active_isa());

// Device pointers; `stream` is a cudaStream_t. In a build without CUDA they throw Error.
void neuron_forward_cuda(const NeuronForward<float>& args, void* stream);
// grad_k [n] receives each neuron's part of dL/dk, for neurons that learn their leak; it may be
// null.
void neuron_backward_cuda(const NeuronBackward<float>& args, float* grad_k, void* stream);

}  // namespace spikenm::kernels
