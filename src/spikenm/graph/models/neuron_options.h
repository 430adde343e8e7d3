// The neuron of a network, from a config.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/graph/graph.h"

namespace spikenm::graph {

// A network-wide neuron from its config section: name, tau, threshold, reset, ….
Neuron read_neuron(const Config& config);
// The same neuron of the kind that `key` names, or of kind `fallback`.
Neuron read_neuron_kind(const Config& config, const std::string& key, const std::string& fallback,
                        Neuron neuron);

}  // namespace spikenm::graph
