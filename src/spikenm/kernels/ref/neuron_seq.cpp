#include "spikenm/kernels/neuron_seq.h"

#include "spikenm/kernels/math/steps/all.h"

namespace spikenm::kernels {
namespace {

template <class Step, class T>
void forward(const NeuronForward<T>& a, int64_t begin, int64_t end) {
  const auto c = neuron_constants<T, T>(a.params);
  for (int64_t i = begin; i < end; ++i) {
    T v = c.charge.rest, current = 0;
    for (int64_t t = 0; t < a.steps; ++t) {
      T h, spike;
      const T x = charging_input<Step>(c, a.x[t * a.n + i], current);
      neuron_forward_step<Step>(c, a.params.soft_reset, x, v, h, spike);
      a.spikes[t * a.n + i] = spike;
      if (a.h != nullptr) a.h[t * a.n + i] = h;
      if (a.v != nullptr) a.v[t * a.n + i] = v;
    }
  }
}

// Eq. (5): e_t = dL/do_t is grad_spikes; delta_t = dL/dh_t is what the recursion carries.
template <class Step, class T>
double backward(const NeuronBackward<T>& a, int64_t begin, int64_t end) {
  const auto c = neuron_constants<T, T>(a.params);
  double grad_leak = 0;
  for (int64_t i = begin; i < end; ++i) {
    T error = 0, grad_current = 0;
    for (int64_t t = a.steps - 1; t >= 0; --t) {
      const int64_t at = t * a.n + i;
      const T v_before =
          t == 0 ? c.charge.rest : membrane_after(c, a.params.soft_reset, a.h[at - a.n]);
      const T x = Step::kLearnsLeak ? a.x[at] : T(0);

      T grad_x, grad_k;
      neuron_backward_step<Step>(c, a.params, a.grad_spikes[at], a.h[at], x, v_before, error,
                                 grad_x, grad_k);
      a.grad_x[at] = input_gradient<Step>(c, grad_x, grad_current);
      grad_leak += grad_k;
    }
  }
  return grad_leak;
}

}  // namespace

template <class T>
void neuron_forward_ref(const NeuronForward<T>& args, int64_t begin, int64_t end) {
  switch (args.params.neuron) {
#define SPIKENM_NEURON(name, step, ...) \
  case Neuron::name:                    \
    return forward<step>(args, begin, end);
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  }
}

template <class T>
double neuron_backward_ref(const NeuronBackward<T>& args, int64_t begin, int64_t end) {
  switch (args.params.neuron) {
#define SPIKENM_NEURON(name, step, ...) \
  case Neuron::name:                    \
    return backward<step>(args, begin, end);
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  }
  return 0;
}

template void neuron_forward_ref(const NeuronForward<float>&, int64_t, int64_t);
template void neuron_forward_ref(const NeuronForward<double>&, int64_t, int64_t);
template double neuron_backward_ref(const NeuronBackward<float>&, int64_t, int64_t);
template double neuron_backward_ref(const NeuronBackward<double>&, int64_t, int64_t);

}  // namespace spikenm::kernels
