#include "spikenm/graph/drawing_units.h"

#include "support/graphs.h"

#include <gtest/gtest.h>

namespace spikenm::graph {
namespace {

using Texts = std::vector<std::string>;

TEST(DrawnUnits, ASynapseStandsWithItsNormNeuronsAndPool) {
  const auto units = drawn_units(test::build_graph("small_conv"), {});
  ASSERT_EQ(units.size(), 7u);  // input, three convolutions, flatten, fc1, vote
  EXPECT_EQ(units[0].title, "input");
  EXPECT_EQ(units[0].shape, "2x34x34");
  EXPECT_EQ(units[1].title, "conv1");
  EXPECT_EQ(units[1].lines,
            (Texts{"conv 3x3 stride 1 padding 1, norm", "lif τ 2", "average pool 2x2"}));
  EXPECT_EQ(units[1].shape, "16x17x17");
  EXPECT_EQ(units[2].inputs, (std::vector<size_t>{1}));
  EXPECT_EQ(units[5].lines, Texts{"linear"});
  EXPECT_EQ(units[6].title, "vote");
  EXPECT_EQ(units[6].kind, "of 10 a class");
}

TEST(DrawnUnits, WhatTwoNodesReadEndsABox) {
  Graph graph("net", {2, 4, 4}, {"a", "b"});
  const NodeId conv = graph.add("conv", test::synapse_of(2, 3), {0});
  const NodeId fire = graph.add("fire", Neuron{}, {conv});
  const NodeId sum = graph.add("sum", Sum{}, {fire, conv, conv});
  graph.add("mean", Mean{}, {sum});
  const auto units = drawn_units(graph, {});
  ASSERT_EQ(units.size(), 5u);
  EXPECT_EQ(units[1].lines, Texts{"conv 3x3 stride 1 padding 1"});
  EXPECT_EQ(units[2].title, "fire");
  EXPECT_EQ(units[3].inputs, (std::vector<size_t>{2, 1}));
  EXPECT_EQ(units[3].kind, "sum of 3");
  EXPECT_EQ(units[4].kind, "");
}

TEST(DrawnUnits, ConstantsThatAreNotUsualAreSaid) {
  Graph graph("net", {2, 5, 5}, {"a"});
  Neuron soft, learnt, none, current;
  soft.params.soft_reset = true;
  soft.params.threshold = 0.5;
  learnt.params.neuron = NeuronKind::kPlif;
  learnt.params.v_reset = -0.25;
  none.params.neuron = NeuronKind::kIf;
  current.params.neuron = NeuronKind::kCubaLif;
  current.tau_syn = 3;
  Synapse conv = test::synapse_of(3, 1, 2);
  conv.bias = true;
  conv.maskable = false;
  NodeId last = graph.add("conv", conv, {0});
  for (const auto& [name, neuron] :
       {std::pair{"a", soft}, {"b", learnt}, {"d", current}, {"c", none}})
    last = graph.add(name, neuron, {last});
  last = graph.add("p", Pool{.kind = PoolKind::kMax, .size = 3, .stride = 2, .padding = 1}, {last});
  const auto units = drawn_units(graph, {});
  ASSERT_EQ(units.size(), 5u);
  EXPECT_EQ(units[1].lines,
            (Texts{"conv 1x1 stride 2, bias, not masked", "lif τ 2, threshold 0.5, soft reset"}));
  EXPECT_EQ(units[2].lines, (Texts{"plif τ 2 learnt, reset to -0.25"}));
  EXPECT_EQ(units[3].lines, (Texts{"cuba-lif τ 2, synapse τ 3"}));
  EXPECT_EQ(units[4].lines, (Texts{"if, no leak", "max pool 3x3 stride 2 padding 1"}));
}

TEST(DrawnUnits, NotesOfABoxShareALineWhileTheyFit) {
  const Annotations notes{{{"conv", {"2:4", "50.0 % kept", std::string(40, 'x')}},
                           {"fire", {"rate 0.12"}},
                           {"nobody", {"?"}}}};
  const auto units = drawn_units(test::tiny_graph(), notes);
  EXPECT_EQ(units[1].notes, (Texts{"2:4 · 50.0 % kept", std::string(40, 'x'), "rate 0.12"}));
}

}  // namespace
}  // namespace spikenm::graph
