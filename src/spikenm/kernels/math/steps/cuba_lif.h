// LIF charged by a synaptic current that leaks too ("current-based"). The current is a second state
// variable; a spike does not reset it.
#pragma once

#include "spikenm/kernels/math/steps/lif.h"

namespace spikenm::kernels {

struct CubaLifStep : LifStep {
  static constexpr int kStates = 2;

  // i = (1 - k_syn) i + x.
  template <class V>
  static SPIKENM_HD V current(V i, V x, const Charge<V>& c) {
    return fused(c.keep_current, i, x);
  }
  template <class V>
  static SPIKENM_HD V d_current(const Charge<V>& c) {
    return c.keep_current;
  }
  // h = (1 - k) v + k rest + k i.
  template <class V>
  static SPIKENM_HD V charge(V v, V i, const Charge<V>& c) {
    return fused(c.keep, v, fused(c.k, i, c.pull));
  }
  template <class V>
  static SPIKENM_HD V d_input(const Charge<V>& c) {
    return c.k;
  }
};

}  // namespace spikenm::kernels
