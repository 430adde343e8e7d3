// How many of a graph's connections are left, by UPR's definition.
#pragma once

#include "spikenm/graph/kept.h"

namespace spikenm::graph {

struct SynapseConnections {
  NodeId synapse = 0;
  double alive = 0, dense = 0;
};

// Walks the graph from an input that is alive everywhere. A connection counts when its weight is
// kept, its input is alive and somebody who is kept reads its output (useful_values); padding is no
// connection. Neurons live where they are kept and a live input reaches them. An average pool makes
// fractions; a connection that reads a sum counts once for each term that is alive. `dense` is the
// same with everything kept. Time steps and data play no part. Synapses that are not maskable are
// walked, and not listed.
std::vector<SynapseConnections> count_connections(const Graph& graph, const Kept& kept);

}  // namespace spikenm::graph
