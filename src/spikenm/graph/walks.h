// What is asked of a graph as a whole, answered by walking it once.
#pragma once

#include "spikenm/graph/graph.h"

namespace spikenm::graph {

// The nodes that read each node.
std::vector<std::vector<NodeId>> readers(const Graph& graph);

// The neurons that a synapse drives, with at most norms in between; none for an analog score or
// where something else reads the synapse too.
std::optional<NodeId> driven_neurons(const Graph& graph, NodeId synapse);

// The synapses that read the spikes of these neurons, each once and in forward order. Pools, sums
// and the like pass spikes on; a synapse or other neurons end their way.
std::vector<NodeId> reading_synapses(const Graph& graph, NodeId neurons);

// The node that gives the largest map of a time step.
NodeId largest_map(const Graph& graph);

}  // namespace spikenm::graph
