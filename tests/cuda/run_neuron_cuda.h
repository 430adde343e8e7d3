// A run of the sequence kernels on the GPU, on arrays of the host.
#pragma once

#include "cuda/device_array.h"
#include "support/neuron_run.h"

namespace spikenm::test {

inline NeuronRun<float> run_neuron_cuda(const kernels::NeuronParams& params, int64_t steps,
                                        const std::vector<float>& x, const std::vector<float>& g) {
  const DeviceArray<float> input(x), grad(g), spikes(x.size()), h(x.size()), v(x.size()),
      grad_x(x.size()), grad_k(size_t{1});
  const int64_t n = static_cast<int64_t>(x.size()) / steps;
  kernels::neuron_forward_cuda({.params = params,
                                .steps = steps,
                                .n = n,
                                .x = input.get(),
                                .spikes = spikes.get(),
                                .h = h.get(),
                                .v = v.get()},
                               nullptr);
  kernels::neuron_backward_cuda({.params = params,
                                 .steps = steps,
                                 .n = n,
                                 .grad_spikes = grad.get(),
                                 .h = h.get(),
                                 .x = input.get(),
                                 .grad_x = grad_x.get()},
                                grad_k.get(), nullptr);
  return {.spikes = spikes.host(),
          .h = h.host(),
          .v = v.host(),
          .grad_x = grad_x.host(),
          .grad_k = grad_k.host()[0]};
}

}  // namespace spikenm::test
