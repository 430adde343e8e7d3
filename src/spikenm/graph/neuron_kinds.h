// Names and traits of neurons and surrogates.
#pragma once

#include "spikenm/graph/neuron_params.h"

#include <string>
#include <string_view>
#include <vector>

namespace spikenm::graph {

// The properties of a kind of neuron, the same on every device.
struct NeuronTraits {
  NeuronKind kind;
  std::string_view name;  // in configs and files
  bool leaks;             // has a time constant
  bool learns_leak;       // and learns it, one per layer
  int states;             // variables that a neuron keeps between steps
};

const std::vector<NeuronTraits>& neuron_kinds();
const NeuronTraits& traits_of(NeuronKind kind);

// Whether inputs charge a current that has its own leak (tau_syn). Only the current charges the
// membrane, by 1/tau; decay_input is not used.
constexpr bool has_current(NeuronKind kind) {
  return kind == NeuronKind::kCubaLif;
}

// In the order of Surrogate.
const std::vector<std::string>& surrogate_names();
// The usual sharpness of this surrogate.
double usual_alpha(Surrogate surrogate);

}  // namespace spikenm::graph
