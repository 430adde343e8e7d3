#include "spikenm/graph/models/unit.h"

#include "support/graphs.h"

#include <gtest/gtest.h>

namespace spikenm::graph {
namespace {

TEST(Unit, LayersAreAddedUnderTheUnitsName) {
  Graph graph("net", {3, 6, 5}, {"a"});
  Neuron neuron;
  neuron.maskable = true;
  const NodeId last = add_unit(graph,
                               {.name = "a",
                                .out = 4,
                                .kernel = 3,
                                .geometry = {.stride = 2, .padding = 1},
                                .neuron = neuron},
                               0);
  ASSERT_EQ(graph.nodes().size(), 4u);
  EXPECT_EQ(last, 3u);
  EXPECT_EQ(graph.node(1).name, "a");
  EXPECT_EQ(graph.node(2).name, "bn_a");
  EXPECT_EQ(graph.node(3).name, "lif_a");
  EXPECT_EQ(graph.node(3).inputs, std::vector<NodeId>{2});
  EXPECT_EQ(graph.node(2).inputs, std::vector<NodeId>{1});
  EXPECT_EQ(graph.node(3).out.text(), "4x3x3");
  const Synapse& synapse = *graph.node(1).as<Synapse>();
  EXPECT_EQ(synapse.geometry.stride, 2);
  EXPECT_EQ(synapse.shape.cin, 3);
  EXPECT_TRUE(synapse.maskable && !synapse.bias);
  EXPECT_TRUE(graph.node(3).as<Neuron>()->maskable);
}

TEST(Unit, AReadoutHasABiasAndNothingElse) {
  Graph graph("net", {7, 1, 1}, {"a"});
  const NodeId row = graph.add("mean", Mean{}, {0});
  const NodeId head = add_unit(
      graph, {.name = "head", .out = 5, .norm = false, .bias = true, .maskable = false}, row);
  EXPECT_EQ(head + 1, graph.nodes().size());
  const Synapse& synapse = *graph.node(head).as<Synapse>();
  EXPECT_TRUE(synapse.bias && !synapse.maskable);
  EXPECT_EQ(graph.node(head).out.text(), "5");
}

}  // namespace
}  // namespace spikenm::graph
