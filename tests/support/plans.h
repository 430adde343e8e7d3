// Plans in words, and what every plan must fulfil.
#pragma once

#include "spikenm/nn/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace spikenm::test {

using graph::Graph;
using graph::NodeId;
using nn::PlanStep;

// A chain behind the input, each node named as its kind.
inline Graph chain_of(const std::vector<std::pair<std::string, graph::Operation>>& nodes) {
  Graph graph("test", {8, 6, 6}, {"only"});
  for (const auto& [name, operation] : nodes)
    graph.add(name, operation, {graph.nodes().size() - 1});
  return graph;
}

inline const graph::Synapse kConv{.shape = {8, 8, 3, 3}, .geometry = {.stride = 1, .padding = 1}};

inline Graph pooled(graph::NeuronKind kind = graph::NeuronKind::kLif) {
  return chain_of({{"conv", kConv},
                   {"norm", graph::Norm{}},
                   {"fire", graph::Neuron{.params = {.neuron = kind}}},
                   {"pool", graph::Pool{}},
                   {"flatten", graph::Flatten{}}});
}

using Groups = std::vector<std::vector<std::string>>;

// The nodes that a step computes, in forward order.
inline std::vector<NodeId> nodes_of(const PlanStep& step) {
  std::set<NodeId> ids{step.node};
  for (const std::optional<NodeId>& id : {step.norm, step.neurons, step.pool})
    if (id) ids.insert(*id);
  return {ids.begin(), ids.end()};
}

// By step and name.
inline Groups groups(const Graph& graph, const ops::Place& place) {
  Groups names;
  for (const PlanStep& step : nn::make_plan(graph, place).steps) {
    names.emplace_back();
    for (const NodeId id : nodes_of(step)) names.back().push_back(graph.node(id).name);
  }
  return names;
}

// Every node is computed in one step, and its value lives as long as somebody reads it.
inline void expect_sound(const Graph& graph, const ops::Place& place) {
  const nn::Plan plan = nn::make_plan(graph, place);
  std::vector<NodeId> all;
  for (const PlanStep& step : plan.steps)
    for (const NodeId id : nodes_of(step)) all.push_back(id);
  ASSERT_EQ(all.size(), graph.nodes().size() - 1);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i + 1);

  std::vector<bool> lives(graph.nodes().size(), false);
  lives[0] = true;
  std::set<NodeId> finished;
  for (const PlanStep& step : plan.steps) {
    const std::vector<NodeId> computed = nodes_of(step);
    EXPECT_EQ(step.node, computed.back());
    EXPECT_EQ(step.input, graph.node(computed.front()).inputs[0]);
    for (const NodeId id : computed)
      for (const NodeId input : graph.node(id).inputs) {
        const bool inside = std::ranges::count(computed, input) > 0;
        EXPECT_TRUE(inside || lives[input]) << graph.node(id).name;
      }
    lives[step.node] = true;
    for (const NodeId id : step.finished) {
      EXPECT_TRUE(finished.insert(id).second) << graph.node(id).name;
      lives[id] = false;
    }
    // Nothing that somebody still reads is gone, and nothing else is left.
    for (NodeId id = 0; id <= step.node && id + 1 < graph.nodes().size(); ++id) {
      bool wanted = false;
      for (NodeId reader = step.node + 1; reader < graph.nodes().size(); ++reader)
        wanted = wanted || std::ranges::count(graph.node(reader).inputs, id) > 0;
      EXPECT_EQ(lives[id], wanted) << graph.node(id).name;
    }
  }
  EXPECT_TRUE(lives.back());
}

}  // namespace spikenm::test
