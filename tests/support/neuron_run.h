// Runs of the sequence kernels on owned arrays, and all combinations of neuron options.
#pragma once

#include "spikenm/graph/neuron_kinds.h"
#include "spikenm/kernels/neuron_seq.h"
#include "support/surrogates.h"

#include <string>
#include <vector>

namespace spikenm::test {

template <class T>
struct NeuronRun {
  std::vector<T> spikes, h, v, grad_x;  // [steps, n]
  double grad_k = 0;
};

// Forward and backward of L = sum(spikes * g). `forward` and `backward` take the argument structs.
template <class T, class Forward, class Backward>
NeuronRun<T> run_neuron(const kernels::NeuronParams& params, int64_t steps, const std::vector<T>& x,
                        const std::vector<T>& g, Forward&& forward, Backward&& backward) {
  const int64_t n = static_cast<int64_t>(x.size()) / steps;
  NeuronRun<T> run;
  run.spikes = run.h = run.v = run.grad_x = std::vector<T>(x.size(), T(-1));
  forward(kernels::NeuronForward<T>{.params = params,
                                    .steps = steps,
                                    .n = n,
                                    .x = x.data(),
                                    .spikes = run.spikes.data(),
                                    .h = run.h.data(),
                                    .v = run.v.data()});
  run.grad_k = backward(kernels::NeuronBackward<T>{.params = params,
                                                   .steps = steps,
                                                   .n = n,
                                                   .grad_spikes = g.data(),
                                                   .h = run.h.data(),
                                                   .x = x.data(),
                                                   .grad_x = run.grad_x.data()});
  return run;
}

template <class T>
NeuronRun<T> run_neuron_ref(const kernels::NeuronParams& params, int64_t steps,
                            const std::vector<T>& x, const std::vector<T>& g) {
  return run_neuron<T>(
      params, steps, x, g,
      [](const kernels::NeuronForward<T>& a) { kernels::neuron_forward_ref(a, 0, a.n); },
      [](const kernels::NeuronBackward<T>& a) { return kernels::neuron_backward_ref(a, 0, a.n); });
}

inline NeuronRun<float> run_neuron_cpu(const kernels::NeuronParams& params, int64_t steps,
                                       const std::vector<float>& x, const std::vector<float>& g,
                                       Isa isa) {
  return run_neuron<float>(
      params, steps, x, g,
      [&](const kernels::NeuronForward<float>& a) { kernels::neuron_forward_cpu(a, isa); },
      [&](const kernels::NeuronBackward<float>& a) {
        return kernels::neuron_backward_cpu(a, isa);
      });
}

// Every neuron x surrogate x reset (hard to 0, hard to -0.2, soft) x decay_input x detach_reset.
inline std::vector<kernels::NeuronParams> all_neuron_params() {
  using kernels::Surrogate;
  std::vector<kernels::NeuronParams> all;
  for (const graph::NeuronTraits& kind : graph::neuron_kinds())
    for (const Surrogate surrogate : all_surrogates())
      for (int options = 0; options < 12; ++options)
        all.push_back({.neuron = kind.kind,
                       .surrogate = surrogate,
                       .alpha = surrogate == Surrogate::kSigmoid ? 4.0 : 1.5,
                       .k = 0.4,
                       .k_syn = 0.3,
                       .threshold = 0.8,
                       .v_reset = options % 3 == 1 ? -0.2 : 0.0,
                       .soft_reset = options % 3 == 2,
                       .decay_input = options / 3 % 2 == 0,
                       .detach_reset = options / 6 == 0});
  return all;
}

// Those of them that norm and neuron in one call serve.
inline std::vector<kernels::NeuronParams> fusable_neuron_params() {
  std::vector<kernels::NeuronParams> all = all_neuron_params();
  std::erase_if(all, [](const kernels::NeuronParams& p) {
    return graph::traits_of(p.neuron).learns_leak || graph::traits_of(p.neuron).states > 1;
  });
  return all;
}

inline std::string describe(const kernels::NeuronParams& p) {
  return "neuron " + std::to_string(static_cast<int>(p.neuron)) + " surrogate " +
         std::to_string(static_cast<int>(p.surrogate)) + (p.soft_reset ? " soft" : " hard to ") +
         (p.soft_reset ? "" : std::to_string(p.v_reset)) + (p.decay_input ? " decay" : " nodecay") +
         (p.detach_reset ? " detach" : " nodetach");
}

}  // namespace spikenm::test
