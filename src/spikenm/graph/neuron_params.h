// A neuron's constants. Plain numbers, for kernels of every device; the arithmetic is in
// kernels/math/.
#pragma once

#include <cstdint>

namespace spikenm::graph {

enum class NeuronKind : int32_t {
#define SPIKENM_NEURON(name, step, text, leaks, learns_leak, states) name,
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
};

enum class Surrogate : int32_t { kAtan, kSigmoid, kTriangle };

struct NeuronParams {
  NeuronKind neuron = NeuronKind::kLif;
  Surrogate surrogate = Surrogate::kAtan;
  double alpha = 2;    // surrogate sharpness
  double k = 0.5;      // leak: 1/tau, or sigmoid(w) if it is learnt; unused without a leak
  double k_syn = 0.5;  // leak of a synaptic current: 1/tau_syn; unused without one
  double threshold = 1;
  double v_reset = 0;        // the membrane after a spike (hard reset)
  bool soft_reset = false;   // subtract the threshold instead
  bool decay_input = true;   // k scales the input too
  bool detach_reset = true;  // no gradient through the reset
};

}  // namespace spikenm::graph
