// How many of a graph's connections are left, by UPR's definition.
#pragma once

#include "spikenm/graph/kept.h"

namespace spikenm::graph {

struct SynapseConnections {
  NodeId synapse = 0;
  double alive = 0, dense = 0;
};

// Counts connections from the input to the scores. All values of the input are alive. A neuron is
// alive if it is kept and at least one live value reaches it. A connection counts if its weight is
// kept, its input is alive and its output has an effect (useful_values). Padding has no
// connections. The output of an average pool is alive in part: the share of its window that is
// alive. A connection that reads a sum counts once for each live term. `dense` is the same count
// with everything kept. The count does not depend on time steps or data. Synapses that are not
// maskable pass live values on, but are not in the list.
std::vector<SynapseConnections> count_connections(const Graph& graph, const Kept& kept);

}  // namespace spikenm::graph
