// LIF that learns its leak: k = sigmoid(w), one w per layer [Fang21].
#pragma once

#include "spikenm/kernels/math/steps/lif.h"

namespace spikenm::kernels {

struct PlifStep : LifStep {
  static constexpr bool kLearnsLeak = true;

  // dh/dk = (x with decay_input, else 0) - (v - rest).
  template <class V>
  static SPIKENM_HD V d_leak(V v, V x, const Charge<V>& c) {
    return c.k_of_input * x - (v - c.rest);
  }
};

}  // namespace spikenm::kernels
