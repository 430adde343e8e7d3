// The sequence kernel over vectors of neurons, compiled once per instruction set: the includer
// defines the value type F (operators and the functions of math/value.h, F::kLanes lanes) and
// includes this inside its unnamed namespace. States stay in registers over all steps.
//
//   x[t]    | lane 0 … lane 7 | lane 0 … lane 7 | … | partial |  one vector walks down the
//   x[t+1]  | lane 0 … lane 7 | …                                time axis, then the next one
//   …                                                            starts at t = 0

template <class Step>
void forward_lanes(const NeuronForward<float>& a, const NeuronConstants<F>& c, int64_t i,
                   int count) {
  F v = c.charge.rest, current(0.0);
  for (int64_t t = 0; t < a.steps; ++t) {
    const int64_t at = t * a.n + i;
    F h, spike;
    const F x = charging_input<Step>(c, F::load(a.x + at, count), current);
    neuron_forward_step<Step>(c, a.params.soft_reset, x, v, h, spike);
    spike.store(a.spikes + at, count);
    if (a.h != nullptr) h.store(a.h + at, count);
    if (a.v != nullptr) v.store(a.v + at, count);
  }
}

template <class Step>
double backward_lanes(const NeuronBackward<float>& a, const NeuronConstants<F>& c, int64_t i,
                      int count) {
  F error(0.0), grad_current(0.0);
  double grad_leak = 0;
  for (int64_t t = a.steps - 1; t >= 0; --t) {
    const int64_t at = t * a.n + i;
    F x(0.0), v_before(0.0), grad_x, grad_k;
    if constexpr (Step::kLearnsLeak) {
      x = F::load(a.x + at, count);
      v_before = t == 0 ? c.charge.rest
                        : membrane_after(c, a.params.soft_reset, F::load(a.h + at - a.n, count));
    }

    neuron_backward_step<Step>(c, a.params, F::load(a.grad_spikes + at, count),
                               F::load(a.h + at, count), x, v_before, error, grad_x, grad_k);
    input_gradient<Step>(c, grad_x, grad_current).store(a.grad_x + at, count);
    if constexpr (Step::kLearnsLeak) {
      float lanes[F::kLanes];
      grad_k.store(lanes, F::kLanes);
      for (int lane = 0; lane < count; ++lane) grad_leak += lanes[lane];
    }
  }
  return grad_leak;
}

template <class Step>
void forward_range(const NeuronForward<float>& a, int64_t begin, int64_t end) {
  const auto c = neuron_constants<F, float>(a.params);
  int64_t i = begin;
  for (; i + F::kLanes <= end; i += F::kLanes) forward_lanes<Step>(a, c, i, F::kLanes);
  if (i < end) forward_lanes<Step>(a, c, i, static_cast<int>(end - i));
}

template <class Step>
double backward_range(const NeuronBackward<float>& a, int64_t begin, int64_t end) {
  const auto c = neuron_constants<F, float>(a.params);
  double grad_leak = 0;
  int64_t i = begin;
  for (; i + F::kLanes <= end; i += F::kLanes)
    grad_leak += backward_lanes<Step>(a, c, i, F::kLanes);
  if (i < end) grad_leak += backward_lanes<Step>(a, c, i, static_cast<int>(end - i));
  return grad_leak;
}

void neuron_forward(const NeuronForward<float>& args, int64_t begin, int64_t end) {
  switch (args.params.neuron) {
#define SPIKENM_NEURON(name, step, ...) \
  case Neuron::name:                    \
    return forward_range<step>(args, begin, end);
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  }
}

double neuron_backward(const NeuronBackward<float>& args, int64_t begin, int64_t end) {
  switch (args.params.neuron) {
#define SPIKENM_NEURON(name, step, ...) \
  case Neuron::name:                    \
    return backward_range<step>(args, begin, end);
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  }
  return 0;
}
