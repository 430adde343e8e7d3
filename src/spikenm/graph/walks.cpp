#include "spikenm/graph/walks.h"

#include <algorithm>

namespace spikenm::graph {
namespace {

// The nodes that are a `Wanted` and that the values of `from` reach, in forward order. Synapses and
// neurons pass nothing on.
template <class Wanted>
std::vector<NodeId> reached(const Graph& graph, NodeId from) {
  std::vector<bool> carries(graph.nodes().size(), false);  // the values arrive in its own
  carries[from] = true;
  std::vector<NodeId> found;
  for (NodeId id = from + 1; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    const bool arrives =
        std::ranges::any_of(node.inputs, [&](const NodeId input) { return carries[input]; });
    if (!arrives) continue;

    if (node.as<Wanted>() != nullptr) found.push_back(id);
    carries[id] = node.as<Synapse>() == nullptr && node.as<Neuron>() == nullptr;
  }
  return found;
}

// Of a node that is no neuron, from those of its inputs.
Signal passed_on(const Node& node, const std::vector<Signal>& known) {
  const auto all_are = [&](Signal signal) {
    return std::ranges::all_of(node.inputs,
                               [&](const NodeId input) { return known[input] == signal; });
  };
  if (all_are(Signal::kFrame)) return Signal::kFrame;
  const bool weighs = node.as<Synapse>() != nullptr || node.as<Norm>() != nullptr;
  return !weighs && all_are(Signal::kSpikes) ? Signal::kSpikes : Signal::kAnalog;
}

}  // namespace

Readers readers(const Graph& graph) {
  Readers lists(graph.nodes().size());
  for (NodeId id = 0; id < graph.nodes().size(); ++id)
    for (const NodeId input : graph.node(id).inputs)
      if (lists[input].empty() || lists[input].back() != id) lists[input].push_back(id);
  return lists;
}

std::optional<NodeId> driven_neurons(const Graph& graph, const Readers& readers, NodeId synapse) {
  for (NodeId at = synapse; readers[at].size() == 1;) {
    at = readers[at].front();
    if (graph.node(at).as<Neuron>() != nullptr) return at;
    if (graph.node(at).as<Norm>() == nullptr) break;
  }
  return std::nullopt;
}

std::vector<NodeId> reading_synapses(const Graph& graph, NodeId neurons) {
  return reached<Synapse>(graph, neurons);
}

std::vector<NodeId> reached_neurons(const Graph& graph, NodeId synapse) {
  return reached<Neuron>(graph, synapse);
}

bool votes(const Graph& graph, NodeId neurons) {
  return !reached<Vote>(graph, neurons).empty();
}

std::vector<Signal> signals(const Graph& graph) {
  std::vector<Signal> found{Signal::kFrame};
  for (NodeId id = 1; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    found.push_back(node.as<Neuron>() != nullptr ? Signal::kSpikes : passed_on(node, found));
  }
  return found;
}

NodeId largest_map(const Graph& graph) {
  NodeId largest = 0;
  for (NodeId id = 1; id < graph.nodes().size(); ++id)
    if (graph.node(id).out.values() > graph.node(largest).out.values()) largest = id;
  return largest;
}

}  // namespace spikenm::graph
