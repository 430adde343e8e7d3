// Graphs for tests: of the registry, and small ones.
#pragma once

#include "spikenm/graph/models/models.h"

#include <map>

namespace spikenm::test {

// Every line must be one that the model reads.
inline graph::Graph build_graph(const std::string& model, const std::string& keys = "",
                                const graph::ModelSpec& spec = {}) {
  const Config config = Config::from_text("[model]\n" + keys, "test");
  graph::Graph built = graph::models().find(model)(spec, config.section("model"));
  config.reject_unread();
  return built;
}

// Names of all nodes that are a T.
template <class T>
std::vector<std::string> names_of(const graph::Graph& graph) {
  std::vector<std::string> names;
  for (const graph::Node& node : graph.nodes())
    if (node.as<T>() != nullptr) names.push_back(node.name);
  return names;
}

inline const graph::Node& node_of(const graph::Graph& graph, const std::string& name) {
  const auto id = graph.find(name);
  if (!id) throw std::runtime_error("no node " + name);
  return graph.node(*id);
}

inline graph::Synapse synapse_of(int64_t out, int64_t kernel = 1, int64_t stride = 1) {
  return {.shape = {out, 0, kernel, kernel}, .geometry = {.stride = stride, .padding = kernel / 2}};
}

// Three classes of a 4x6x5 frame: conv (2 channels), neurons, mean, fc.
inline graph::Graph tiny_graph() {
  graph::Graph graph("tiny", {4, 6, 5}, {"cat", "dog", "owl"});
  const auto conv = graph.add("conv", synapse_of(2, 3), {0});
  const auto fire = graph.add("fire", graph::Neuron{}, {conv});
  const auto mean = graph.add("mean", graph::Mean{}, {fire});
  graph.add("fc", synapse_of(3), {mean});
  graph.finish();
  return graph;
}

}  // namespace spikenm::test
