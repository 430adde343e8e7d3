// Integrate and fire: h = v + x.
#pragma once

#include "spikenm/kernels/math/steps/charge.h"

namespace spikenm::kernels {

struct IfStep {
  static constexpr bool kLearnsLeak = false;
  static constexpr int kStates = 1;

  template <class V>
  static SPIKENM_HD V charge(V v, V x, const Charge<V>&) {
    return v + x;
  }
  template <class V>
  static SPIKENM_HD V d_input(const Charge<V>&) {
    return V(1.0);
  }
  template <class V>
  static SPIKENM_HD V d_membrane(const Charge<V>&) {
    return V(1.0);
  }
  template <class V>
  static SPIKENM_HD V d_leak(V, V, const Charge<V>&) {
    return V(0.0);
  }
};

}  // namespace spikenm::kernels
