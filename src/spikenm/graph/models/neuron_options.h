// The neuron of a network, from a config.
#pragma once

#include "spikenm/core/key.h"
#include "spikenm/graph/graph.h"

namespace spikenm::graph {

// A network-wide neuron from its config section: name, tau, threshold, reset, ….
Neuron read_neuron(const Config& config);
// The same neuron with the kind that `key` names.
Neuron read_neuron_kind(const Config& config, const ChoiceKey& key, Neuron neuron);

// Names of all kinds, as a key's choices.
std::vector<std::string> neuron_names();

KeyList neuron_keys();

}  // namespace spikenm::graph
