// One neuron, one time step, forward and backward: the formulas every backend runs.
#pragma once

#include "spikenm/graph/neuron_params.h"
#include "spikenm/kernels/math/steps/charge.h"
#include "spikenm/kernels/math/surrogate.h"

namespace spikenm::kernels {

using Neuron = graph::NeuronKind;
using graph::NeuronParams;

// NeuronParams in the value type V.
template <class V>
struct NeuronConstants {
  Charge<V> charge;
  V threshold, v_reset, alpha;
};

template <class V, class S>
SPIKENM_HD NeuronConstants<V> neuron_constants(const NeuronParams& p) {
  const S rest = p.soft_reset ? S(0) : S(p.v_reset);
  const S k = S(p.k);
  return {.charge = {.keep = V(S(1) - k),
                     .gain = V(p.decay_input ? k : S(1)),
                     .pull = V(k * rest),
                     .rest = V(rest),
                     .k_of_input = V(p.decay_input ? S(1) : S(0)),
                     .k = V(k),
                     .keep_current = V(S(1) - S(p.k_syn))},
          .threshold = V(S(p.threshold)),
          .v_reset = V(S(p.v_reset)),
          .alpha = V(S(p.alpha))};
}

// The firing rule of every backend: a spike if h reaches the threshold; equality fires. The
// gradient tests replace it by a smooth rule with the same two functions.
struct HeavisideFire {
  // Eq. (2): o = H(h - V_th).
  template <class V>
  SPIKENM_HD V spike(V h, V threshold) const {
    return select(at_least(h, threshold), V(1.0), V(0.0));
  }
  // o * fired + (1 - o) * kept, by selection: a product would turn 0 times infinity into NaN.
  template <class V>
  SPIKENM_HD V mix(V h, V threshold, V fired, V kept) const {
    return select(at_least(h, threshold), fired, kept);
  }
};

// v[t] from h[t].
// Eq. (3): the reset. Differs from Eq. (3): it acts in the step of the spike, and is hard by
// default (Eq. 6 is the error of a hard reset); soft_reset subtracts the threshold.
template <class V, class Fire = HeavisideFire>
SPIKENM_HD V membrane_after(const NeuronConstants<V>& c, bool soft_reset, V h, Fire fire = {}) {
  return soft_reset ? h - fire.mix(h, c.threshold, c.threshold, V(0.0))
                    : fire.mix(h, c.threshold, c.v_reset, h);
}

// What charges the membrane: the input, or the current that it flows into (0 before step 0).
template <class Step, class V>
SPIKENM_HD V charging_input(const NeuronConstants<V>& c, V x, V& current) {
  if constexpr (Step::kStates == 1) {
    return x;
  } else {
    current = saturate(Step::current(current, x, c.charge));
    return current;
  }
}

// The backward of charging_input: dL/dx[t] from dL/d(what charges the membrane). `grad_current`
// holds dL/d current[t+1] (0 after the last step) and becomes dL/d current[t].
template <class Step, class V>
SPIKENM_HD V input_gradient(const NeuronConstants<V>& c, V grad_charging, V& grad_current) {
  if constexpr (Step::kStates == 1) {
    return grad_charging;
  } else {
    grad_current = fused(Step::d_current(c.charge), grad_current, grad_charging);
    return grad_current;
  }
}

// Charge, then fire, then reset. `v` goes from v[t-1] to v[t]; h and the spike (0 or 1) are
// written.
template <class Step, class V, class Fire = HeavisideFire>
SPIKENM_HD void neuron_forward_step(const NeuronConstants<V>& c, bool soft_reset, V x, V& v, V& h,
                                    V& spike, Fire fire = {}) {
  h = saturate(Step::charge(v, x, c.charge));
  spike = fire.spike(h, c.threshold);
  v = membrane_after(c, soft_reset, h, fire);
}

// One step of the backward recursion. `error` holds dL/dv[t] and becomes dL/dv[t-1]; `v_before` is
// v[t-1], read only for a learnt leak. Writes dL/dx[t] and dL/dk of this step.
template <class Step, class V, class Fire = HeavisideFire>
SPIKENM_HD void neuron_backward_step(const NeuronConstants<V>& c, const NeuronParams& p,
                                     V grad_spike, V h, V x, V v_before, V& error, V& grad_x,
                                     V& grad_k, Fire fire = {}) {
  const V slope = surrogate_derivative(p.surrogate, c.alpha, h - c.threshold);

  // Eq. (6): delta = e phi'(u) + alpha (1 - o) delta_next; alpha is applied below, to `error`. The
  // gradient through the reset is (v_reset - h) phi' (hard) or -V_th phi' (soft), and is cut when
  // detached. It is multiplied out before it meets the error: a huge h times a vanished slope is 0,
  // never NaN.
  V through_reset = p.soft_reset ? V(1.0) : fire.mix(h, c.threshold, V(0.0), V(1.0));
  if (!p.detach_reset) {
    const V jump = p.soft_reset ? V(0.0) - c.threshold : c.v_reset - h;
    through_reset = through_reset + jump * slope;
  }

  const V delta = fused(error, through_reset, grad_spike * slope);
  grad_x = delta * Step::d_input(c.charge);
  // Both factors may overflow for inputs near the end of the range; what is summed over neurons
  // must not.
  grad_k = saturate(delta * saturate(Step::d_leak(v_before, x, c.charge)));
  error = delta * Step::d_membrane(c.charge);
}

}  // namespace spikenm::kernels
