// The coefficients of one membrane update, in the value type of the kernel that computes it.
#pragma once

#include "spikenm/kernels/math/value.h"

namespace spikenm::kernels {

template <class V>
struct Charge {
  V keep;        // 1 - k: share of the membrane that stays
  V gain;        // factor of the input: k with decay_input, else 1
  V pull;        // k * rest: pulls the membrane to its rest potential
  V rest;        // v_reset, or 0 with soft reset
  V k_of_input;  // d gain / d k: 1 with decay_input, else 0
  // Only for a neuron with a synaptic current:
  V k;             // factor of the current
  V keep_current;  // 1 - k_syn: share of the current that stays
};

}  // namespace spikenm::kernels
