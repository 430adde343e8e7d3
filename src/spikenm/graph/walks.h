// What is asked of a graph as a whole, answered by walking it once.
#pragma once

#include "spikenm/graph/graph.h"

namespace spikenm::graph {

// By node: the nodes that read it, in forward order.
using Readers = std::vector<std::vector<NodeId>>;
Readers readers(const Graph& graph);

// The neurons that a synapse drives, with at most norms in between; none for an analog score or
// where something else reads the synapse too.
std::optional<NodeId> driven_neurons(const Graph& graph, const Readers& readers, NodeId synapse);

// The synapses that read the spikes of these neurons, each once and in forward order. Pools, sums
// and the like pass spikes on; a synapse or other neurons end their way.
std::vector<NodeId> reading_synapses(const Graph& graph, NodeId neurons);

// The neurons that the values of this synapse reach, by the same rule.
std::vector<NodeId> reached_neurons(const Graph& graph, NodeId synapse);

// Whether these neurons vote for classes: their spikes are counted as scores, by the same rule.
bool votes(const Graph& graph, NodeId neurons);

// What the values of a node are.
enum class Signal {
  kFrame,   // analog, made of the input alone: the same at every step where that is an image
  kAnalog,  // analog, made of spikes too
  kSpikes,  // spikes; their sums, and their means behind pools
};

// By node.
std::vector<Signal> signals(const Graph& graph);

// The node that has the largest map of a time step.
NodeId largest_map(const Graph& graph);

}  // namespace spikenm::graph
