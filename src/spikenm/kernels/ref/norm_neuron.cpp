#include "spikenm/kernels/norm_neuron_cpu.h"

#include "spikenm/core/error.h"
#include "spikenm/graph/neuron_kinds.h"
#include "spikenm/kernels/math/steps/all.h"

namespace spikenm::kernels {
namespace {

// Calls body(i) for every neuron of a channel; i is its place within a step.
template <class T, class Body>
void for_neurons(const NormNeuron<T>& a, int64_t channel, Body&& body) {
  for (int64_t r = 0; r < a.rows; ++r) body(r * a.channels + channel);
}

// Mean of term(x) over a channel's inputs.
template <class T, class Term>
double channel_mean(const NormNeuron<T>& a, int64_t channel, Term&& term) {
  double sum = 0;
  for (int64_t t = 0; t < a.input_steps; ++t)
    for_neurons(a, channel, [&](int64_t i) { sum += term(a.x[t * a.neurons() + i]); });
  return sum / static_cast<double>(a.input_rows());
}

template <class T>
void measure(const NormNeuron<T>& a, int64_t channel) {
  const double mean = channel_mean(a, channel, [](T x) { return static_cast<double>(x); });
  const double variance = channel_mean(a, channel, [&](T x) { return (x - mean) * (x - mean); });
  a.mean[channel] = static_cast<T>(mean);
  a.variance[channel] = static_cast<T>(variance);
  a.inverse_std[channel] = static_cast<T>(1.0 / square_root(variance + a.eps));
}

// The norm of one channel as y = scale x + shift.
template <class T>
struct Affine {
  T scale = 1, shift = 0;

  Affine(const NormNeuron<T>& a, int64_t channel) {
    if (!a.has_norm()) return;
    scale = a.inverse_std[channel] * a.gamma[channel];
    shift = a.beta[channel] - a.mean[channel] * scale;
  }
};

// Runs neuron i over all steps; calls sees(t, h, spike, v) after each step.
template <class Step, class T, class Sees>
void run_neuron(const NormNeuron<T>& a, const Affine<T>& norm, int64_t i, Sees&& sees) {
  const auto c = neuron_constants<T, T>(a.params);
  T v = c.charge.rest;
  for (int64_t t = 0; t < a.steps; ++t) {
    const T x = a.x[(a.input_steps == 1 ? 0 : t) * a.neurons() + i];
    T h, spike;
    neuron_forward_step<Step>(c, a.params.soft_reset, x * norm.scale + norm.shift, v, h, spike);
    sees(t, h, spike, v);
  }
}

template <class Step, class T>
void forward(const NormNeuron<T>& a, T* spikes, int64_t begin, int64_t end) {
  for (int64_t channel = begin; channel < end; ++channel) {
    if (a.measures) measure(a, channel);
    const Affine<T> norm(a, channel);
    double activity = 0;
    for_neurons(a, channel, [&](int64_t i) {
      run_neuron<Step>(a, norm, i, [&](int64_t t, T, T s, T v) {
        spikes[t * a.neurons() + i] = s;
        activity += static_cast<double>(s + absolute(v));
      });
    });
    if (a.activity != nullptr && a.rows > 0)
      a.activity[channel] += static_cast<T>(activity / static_cast<double>(a.steps * a.rows));
  }
}

// Writes dL/dy of neuron i to grad_x.
template <class Step, class T>
void backward_neuron(const NormNeuron<T>& a, const NormNeuronGradients<T>& g, const Affine<T>& norm,
                     T* membrane, int64_t i) {
  const auto c = neuron_constants<T, T>(a.params);
  run_neuron<Step>(a, norm, i, [&](int64_t t, T h, T, T) { membrane[t] = h; });

  T error = 0, total = 0;
  for (int64_t t = a.steps - 1; t >= 0; --t) {
    const int64_t at = t * a.neurons() + i;
    T grad_y, grad_k;
    neuron_backward_step<Step>(c, a.params, g.grad_spikes[at], membrane[t], T(0), T(0), error,
                               grad_y, grad_k);
    total += grad_y;
    if (a.input_steps == a.steps) g.grad_x[at] = grad_y;
  }
  if (a.input_steps == 1) g.grad_x[i] = total;
}

// Turns dL/dy in grad_x into dL/dx, and writes the gradients of gamma and beta.
template <class T>
void backward_norm(const NormNeuron<T>& a, const NormNeuronGradients<T>& g, int64_t channel) {
  const double mean = a.mean[channel], inverse_std = a.inverse_std[channel];
  const double count = static_cast<double>(a.input_rows());
  const auto for_inputs = [&](auto&& body) {
    for (int64_t t = 0; t < a.input_steps; ++t)
      for_neurons(a, channel, [&](int64_t i) { body(t * a.neurons() + i); });
  };

  double sum = 0, dot = 0;
  for_inputs([&](int64_t at) {
    sum += g.grad_x[at];
    dot += g.grad_x[at] * (a.x[at] - mean) * inverse_std;
  });
  g.grad_beta[channel] = static_cast<T>(sum);
  g.grad_gamma[channel] = static_cast<T>(dot);

  // dx = gamma inverse_std (dy - mean(dy) - xhat mean(dy xhat))
  const double mean_grad = a.measures ? sum / count : 0, slope = a.measures ? dot / count : 0;
  for_inputs([&](int64_t at) {
    const double centred = g.grad_x[at] - mean_grad - (a.x[at] - mean) * inverse_std * slope;
    g.grad_x[at] = static_cast<T>(a.gamma[channel] * inverse_std * centred);
  });
}

template <class Step, class T>
void backward(const NormNeuron<T>& a, const NormNeuronGradients<T>& g, T* membrane, int64_t begin,
              int64_t end) {
  for (int64_t channel = begin; channel < end; ++channel) {
    const Affine<T> norm(a, channel);
    for_neurons(a, channel, [&](int64_t i) { backward_neuron<Step>(a, g, norm, membrane, i); });
    if (a.has_norm()) backward_norm(a, g, channel);
  }
}

}  // namespace

template <class T>
void norm_neuron_forward_ref(const NormNeuron<T>& args, T* spikes, int64_t begin, int64_t end) {
  SPIKENM_ASSERT(graph::traits_of(args.params.neuron).states == 1);
  switch (args.params.neuron) {
#define SPIKENM_NEURON(name, step, ...)                                        \
  case Neuron::name:                                                           \
    if constexpr (step::kStates == 1) forward<step>(args, spikes, begin, end); \
    return;
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  }
}

template <class T>
void norm_neuron_backward_ref(const NormNeuron<T>& args, const NormNeuronGradients<T>& gradients,
                              T* membrane, int64_t begin, int64_t end) {
  SPIKENM_ASSERT(graph::traits_of(args.params.neuron).states == 1);
  switch (args.params.neuron) {
#define SPIKENM_NEURON(name, step, ...)                                                      \
  case Neuron::name:                                                                         \
    if constexpr (step::kStates == 1) backward<step>(args, gradients, membrane, begin, end); \
    return;
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  }
}

#define SPIKENM_INSTANTIATE(T)                                                                    \
  template void norm_neuron_forward_ref(const NormNeuron<T>&, T*, int64_t, int64_t);              \
  template void norm_neuron_backward_ref(const NormNeuron<T>&, const NormNeuronGradients<T>&, T*, \
                                         int64_t, int64_t);
SPIKENM_INSTANTIATE(float)
SPIKENM_INSTANTIATE(double)
#undef SPIKENM_INSTANTIATE

}  // namespace spikenm::kernels
