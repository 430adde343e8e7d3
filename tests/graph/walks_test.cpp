#include "spikenm/graph/walks.h"

#include "spikenm/graph/graph_toml.h"
#include "support/graphs.h"

#include <gtest/gtest.h>

namespace spikenm::graph {
namespace {

using test::build_graph;
using test::node_of;
using test::synapse_of;
using Names = std::vector<std::string>;

Names names(const Graph& graph, const std::vector<NodeId>& ids) {
  Names found;
  for (const NodeId id : ids) found.push_back(graph.node(id).name);
  return found;
}

// The synapses that read the spikes of these neurons.
Names reading(const Graph& graph, const std::string& neurons) {
  return names(graph, reading_synapses(graph, graph.find(neurons).value()));
}

// The neurons that a synapse drives, or nothing.
std::string driven(const Graph& graph, const std::string& synapse) {
  const auto found = driven_neurons(graph, readers(graph), graph.find(synapse).value());
  return found ? graph.node(*found).name : "";
}

// 18x17 -> 9x8 -> 4x4 -> 2x2, average pools in between.
TEST(Walks, FindSizesAndReadersOfAChainThroughItsPools) {
  const Graph graph = build_graph("small_conv", "width = 3\nvoters = 2",
                                  {.frame = {2, 18, 17}, .classes = numbered_classes(5)});
  EXPECT_EQ(node_of(graph, "lif_conv1").out.text(), "3x18x17");
  EXPECT_EQ(node_of(graph, "lif_conv2").out.text(), "6x9x8");
  EXPECT_EQ(node_of(graph, "lif_conv3").out.text(), "6x4x4");
  EXPECT_EQ(node_of(graph, "fc1").out.text(), "10");
  EXPECT_EQ(reading(graph, "lif_conv1"), Names{"conv2"});
  EXPECT_EQ(reading(graph, "lif_conv2"), Names{"conv3"});
  EXPECT_EQ(reading(graph, "lif_conv3"), Names{"fc1"});
}

// stem -> n0; a (stride 2) -> n1 -> b -> n2; shortcut of n0 -> n3; y = n2 + n3 -> c -> n4;
// d reads y + n4, and y a second time.
TEST(Walks, FollowSpikesThroughResidualSumsAndListAReaderOnce) {
  Graph graph("net", {1, 6, 6}, {"a", "b"});
  const auto fire = [&](const char* name, NodeId input) {
    return graph.add(name, Neuron{}, {input});
  };
  const NodeId n0 = fire("n0", graph.add("stem", synapse_of(2, 3), {0}));
  const NodeId n1 = fire("n1", graph.add("a", synapse_of(2, 3, 2), {n0}));
  const NodeId n2 = fire("n2", graph.add("b", synapse_of(2, 3), {n1}));
  const NodeId n3 = fire("n3", graph.add("shortcut", synapse_of(2, 1, 2), {n0}));
  const NodeId y = graph.add("y", Sum{}, {n2, n3});
  const NodeId n4 = fire("n4", graph.add("c", synapse_of(2, 3), {y}));
  const NodeId all = graph.add("all", Sum{}, {y, y, n4});
  graph.add("mean", Mean{}, {graph.add("d", synapse_of(2, 3), {all})});
  graph.finish();
  EXPECT_EQ(reading(graph, "n0"), (Names{"a", "shortcut"}));
  EXPECT_EQ(reading(graph, "n1"), Names{"b"});
  EXPECT_EQ(reading(graph, "n2"), (Names{"c", "d"}));
  EXPECT_EQ(reading(graph, "n3"), (Names{"c", "d"}));
  EXPECT_EQ(reading(graph, "n4"), Names{"d"});
  EXPECT_EQ(node_of(graph, "a").out.text(), "2x3x3");
  EXPECT_EQ(node_of(graph, "n3").out.text(), "2x3x3");
  EXPECT_EQ(names(graph, readers(graph)[y]), (Names{"c", "all"}));
  EXPECT_TRUE(readers(graph).back().empty());
}

// The imagenet stem has a padded max pool; identities carry the stem's spikes over both blocks of
// the first stage and stop at the second stage's shortcut.
TEST(Walks, FollowTheResNetsOfTheRegistry) {
  const Graph graph = build_graph("sew_resnet18", "width = 2\nstem = \"imagenet\"",
                                  {.frame = {3, 32, 32}, .classes = numbered_classes(3)});
  EXPECT_EQ(node_of(graph, "if_stem").out.text(), "2x16x16");
  EXPECT_EQ(reading(graph, "if_stem"),
            (Names{"layer1.0.conv1", "layer1.1.conv1", "layer2.0.conv1", "layer2.0.shortcut"}));
  EXPECT_EQ(reading(graph, "if_layer1.0.conv1"), Names{"layer1.0.conv2"});
  EXPECT_EQ(reading(graph, "if_layer2.0.shortcut"),
            (Names{"layer2.1.conv1", "layer3.0.conv1", "layer3.0.shortcut"}));
  EXPECT_EQ(reading(graph, "if_layer4.1.conv2"), Names{"head"});
}

TEST(Walks, TheLastNeuronsHaveNoReader) {
  const Graph graph = build_graph("6conv2fc", "width = 2\nfc = 3");
  EXPECT_EQ(reading(graph, "lif_fc2"), Names{});
  EXPECT_EQ(driven(graph, "fc2"), "lif_fc2");
}

TEST(Walks, NormsStandBetweenASynapseAndItsNeuronsAndNothingElseDoes) {
  Graph graph("net", {2, 4, 4}, {"a", "b"});
  const auto conv = [&](const char* name, NodeId input) {
    return graph.add(name, synapse_of(2, 3), {input});
  };
  const NodeId direct = graph.add("n1", Neuron{}, {conv("direct", 0)});
  const NodeId norm = graph.add("norm", Norm{}, {conv("normed", direct)});
  const NodeId n2 = graph.add("n2", Neuron{}, {graph.add("norm2", Norm{}, {norm})});
  const Pool pool{.kind = PoolKind::kMax, .size = 1, .stride = 1};
  const NodeId pooled = graph.add("pool", pool, {conv("pooled", n2)});
  const NodeId n3 = graph.add("n3", Neuron{}, {pooled});
  const NodeId shared = conv("shared", n3);
  const NodeId sum = graph.add("sum", Sum{}, {shared, graph.add("n4", Neuron{}, {shared})});
  graph.add("mean", Mean{}, {sum});
  EXPECT_EQ(driven(graph, "direct"), "n1");
  EXPECT_EQ(driven(graph, "normed"), "n2");
  EXPECT_EQ(driven(graph, "pooled"), "");
  EXPECT_EQ(driven(graph, "shared"), "");  // its analog values go elsewhere too
}

// a and b read the input, and their sum drives fire behind a pool; c reads its spikes, d what c
// makes of them and the spikes themselves.
Graph two_readers_of_the_input() {
  return from_toml(R"(
format = "spikenm-graph"
version = 1
name = "net"
frame = [2, 4, 4]
classes = ["x", "y"]
node = [
 {name = "a", op = "synapse", out = 2},
 {name = "b", op = "synapse", out = 2, inputs = ["input"]},
 {name = "both", op = "sum", inputs = ["a", "b"]},
 {name = "pool", op = "pool"},
 {name = "fire", op = "neuron"},
 {name = "pooled", op = "pool"},
 {name = "c", op = "synapse", out = 2},
 {name = "mixed", op = "sum", inputs = ["c", "pooled"]},
 {name = "d", op = "synapse", out = 2},
 {name = "row", op = "flatten"},
])",
                   "test");
}

TEST(Walks, ASynapseReachesNeuronsThroughSumsAndPools) {
  const Graph graph = two_readers_of_the_input();
  for (const char* name : {"a", "b"})
    EXPECT_EQ(names(graph, reached_neurons(graph, graph.find(name).value())), Names{"fire"});
  EXPECT_EQ(names(graph, reached_neurons(graph, graph.find("c").value())), Names{});
}

TEST(Walks, WhatTheInputAloneMakesIsAFrameAndWhatNeuronsMakeAreSpikes) {
  const Graph graph = two_readers_of_the_input();
  const std::vector<Signal> found = signals(graph);
  const auto of = [&](const char* name) { return found[graph.find(name).value()]; };
  for (const char* name : {"input", "a", "b", "both", "pool"})
    EXPECT_EQ(of(name), Signal::kFrame) << name;
  for (const char* name : {"fire", "pooled"}) EXPECT_EQ(of(name), Signal::kSpikes) << name;
  for (const char* name : {"c", "mixed", "d", "row"}) EXPECT_EQ(of(name), Signal::kAnalog) << name;
}

TEST(Walks, EveryModelReadsItsInputOnceAndSpikesElsewhere) {
  for (const std::string& name : models().names()) {
    const Graph graph = build_graph(name);
    const std::vector<Signal> found = signals(graph);
    bool is_first = true;
    for (const Node& node : graph.nodes()) {
      if (node.as<Synapse>() == nullptr) continue;
      EXPECT_EQ(found[node.inputs[0]], is_first ? Signal::kFrame : Signal::kSpikes) << node.name;
      is_first = false;
    }
  }
}

TEST(Walks, AnAnalogScoreDrivesNothing) {
  EXPECT_EQ(driven(build_graph("small_conv"), "fc1"), "");
  EXPECT_EQ(driven(build_graph("small_conv"), "conv1"), "lif_conv1");
}

// The largest map's node and its values.
std::pair<std::string, int64_t> largest(const std::string& model, const std::string& keys,
                                        const ModelSpec& spec = {}) {
  const Graph graph = build_graph(model, keys, spec);
  const Node& found = graph.node(largest_map(graph));
  return {found.name, found.out.values()};
}

TEST(LargestMap, IsWhatAConvolutionWritesBeforeItsPool) {
  EXPECT_EQ(largest("small_conv", "width = 4"), std::pair(std::string("conv1"), 4 * 34L * 34));
  EXPECT_EQ(largest("vgg", "layers = '4 A 4 A 512 A'"),
            std::pair(std::string("conv3"), 512 * 8L * 8));
}

TEST(LargestMap, MayBeTheInput) {
  EXPECT_EQ(largest("mlp", "hidden = [3]"), std::pair(std::string("input"), 2 * 34L * 34));
}

TEST(LargestMap, FollowsStridesAndSums) {
  EXPECT_EQ(largest("sew_resnet18", "width = 4\nstem = 'imagenet'", {.frame = {3, 224, 224}}),
            std::pair(std::string("input"), 3 * 224L * 224));
  EXPECT_EQ(largest("resnet19", "width = 2").second, 4 * 34 * 34);
}

// A graph takes no memory: these weights would be 23 GB.
TEST(LargestMap, OfANetworkThatWouldNotFit) {
  EXPECT_EQ(largest("vgg", "layers = '20000 20000'").second, 20000 * 34 * 34);
}

}  // namespace
}  // namespace spikenm::graph
