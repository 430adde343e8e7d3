#include "spikenm/graph/walks.h"

namespace spikenm::graph {

std::vector<std::vector<NodeId>> readers(const Graph& graph) {
  std::vector<std::vector<NodeId>> lists(graph.nodes().size());
  for (NodeId id = 0; id < graph.nodes().size(); ++id)
    for (const NodeId input : graph.node(id).inputs)
      if (lists[input].empty() || lists[input].back() != id) lists[input].push_back(id);
  return lists;
}

std::optional<NodeId> driven_neurons(const Graph& graph, NodeId synapse) {
  const auto reading = readers(graph);
  for (NodeId at = synapse; reading[at].size() == 1;) {
    at = reading[at].front();
    if (graph.node(at).as<Neuron>() != nullptr) return at;
    if (graph.node(at).as<Norm>() == nullptr) break;
  }
  return std::nullopt;
}

std::vector<NodeId> reading_synapses(const Graph& graph, NodeId neurons) {
  std::vector<bool> carries(graph.nodes().size(), false);  // the spikes arrive in its value
  carries[neurons] = true;
  std::vector<NodeId> found;
  for (NodeId id = neurons + 1; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    bool arrives = false;
    for (const NodeId input : node.inputs) arrives = arrives || carries[input];
    if (!arrives) continue;
    if (node.as<Synapse>() != nullptr)
      found.push_back(id);
    else
      carries[id] = node.as<Neuron>() == nullptr;
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
