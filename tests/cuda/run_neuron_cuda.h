// A run of the sequence kernels on the GPU, on arrays of the host.
#pragma once

#include <numeric>

#include "cuda/device_array.h"
#include "support/neuron_run.h"

namespace spikenm::test {

inline NeuronRun<float> run_neuron_cuda(const kernels::NeuronParams& params, int64_t steps,
                                        const std::vector<float>& x, const std::vector<float>& g) {
  const int64_t n = static_cast<int64_t>(x.size()) / steps;
  const std::vector<float> none(static_cast<size_t>(n), 0.0f);  // kept by neurons of a fixed leak
  const DeviceArray<float> input(x), grad(g), spikes(x.size()), h(x.size()), v(x.size()),
      grad_x(x.size()), grad_k(none);
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
  const std::vector<float> parts = grad_k.host();
  return {.spikes = spikes.host(),
          .h = h.host(),
          .v = v.host(),
          .grad_x = grad_x.host(),
          .grad_k = std::accumulate(parts.begin(), parts.end(), 0.0f)};
}

}  // namespace spikenm::test
