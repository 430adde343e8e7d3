// Every step functor that neurons.inc names.
#pragma once

#include "spikenm/kernels/math/steps/cuba_lif.h"
#include "spikenm/kernels/math/steps/if.h"
#include "spikenm/kernels/math/steps/lif.h"
#include "spikenm/kernels/math/steps/plif.h"

namespace spikenm::kernels {

// neurons.inc and the step functors must agree.
#define SPIKENM_NEURON(name, step, text, leaks, learns_leak, states) \
  static_assert(step::kLearnsLeak == learns_leak && step::kStates == states);
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON

}  // namespace spikenm::kernels
