// Neurons and surrogates in words.
#pragma once

#include "spikenm/graph/neuron_params.h"

#include <string>
#include <string_view>
#include <vector>

namespace spikenm::graph {

// What tells one kind from another, wherever it runs.
struct NeuronTraits {
  NeuronKind kind;
  std::string_view name;  // in configs and files
  bool leaks;             // has a time constant
  bool learns_leak;       // and learns it, one for the layer
  int states;             // variables a neuron carries from step to step
};

const std::vector<NeuronTraits>& neuron_kinds();
const NeuronTraits& traits_of(NeuronKind kind);

// Whether inputs charge a current with a leak of its own (tau_syn), and only that the membrane: by
// 1/tau, whatever decay_input says.
constexpr bool has_current(NeuronKind kind) {
  return kind == NeuronKind::kCubaLif;
}

// In the order of Surrogate.
const std::vector<std::string>& surrogate_names();
// The sharpness that is usual for it.
double usual_alpha(Surrogate surrogate);

}  // namespace spikenm::graph
