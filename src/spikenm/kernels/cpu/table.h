// The kernels of one instruction-set level, as plain functions over a range of work. Drivers in
// this folder cut the work by size and call them; nothing dispatches inside a loop.
#pragma once

#include "spikenm/core/cpu_features.h"

#include <cstdint>

namespace spikenm::kernels {

template <class T>
struct NeuronForward;
template <class T>
struct NeuronBackward;
struct GumbelFill;
struct NormNeuronKernels;
struct WinogradKernels;

struct CpuKernels {
  // Neurons [begin, end) of all time steps.
  void (*neuron_forward)(const NeuronForward<float>&, int64_t begin, int64_t end);
  double (*neuron_backward)(const NeuronBackward<float>&, int64_t begin, int64_t end);
  // Gumbel noise for a list of counters.
  void (*gumbel_fill)(const GumbelFill&);
  // The pieces of norm_neuron and conv3x3; null where there is no vector form.
  const NormNeuronKernels* norm_neuron;
  const WinogradKernels* winograd;
};

const CpuKernels& cpu_kernels(Isa isa);

}  // namespace spikenm::kernels
