// Leaky integrate and fire, k = 1/tau.
#pragma once

#include "spikenm/kernels/math/steps/charge.h"

namespace spikenm::kernels {

struct LifStep {
  static constexpr bool kLearnsLeak = false;
  static constexpr int kStates = 1;

  // Eq. (1): h = (1 - k) v + k rest + gain x.
  // Differs from Eq. (1): the input is scaled by k when decay_input is set, as UPR trains it.
  template <class V>
  static SPIKENM_HD V charge(V v, V x, const Charge<V>& c) {
    return fused(c.keep, v, fused(c.gain, x, c.pull));
  }
  template <class V>
  static SPIKENM_HD V d_input(const Charge<V>& c) {
    return c.gain;
  }
  template <class V>
  static SPIKENM_HD V d_membrane(const Charge<V>& c) {
    return c.keep;
  }
  template <class V>
  static SPIKENM_HD V d_leak(V, V, const Charge<V>&) {
    return V(0.0);
  }
};

}  // namespace spikenm::kernels
