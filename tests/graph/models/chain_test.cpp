// Chains, and the three of the papers' networks that are.
#include "spikenm/graph/models/chain.h"

#include "spikenm/graph/walks.h"
#include "support/graphs.h"

#include <gtest/gtest.h>

namespace spikenm::graph {
namespace {

using Names = std::vector<std::string>;

const ModelSpec kSpec{.frame = {2, 32, 33}, .classes = numbered_classes(3)};

Graph build(const std::string& name, const std::string& keys) {
  return test::build_graph(name, keys, kSpec);
}

std::vector<const Synapse*> synapses(const Graph& graph) {
  std::vector<const Synapse*> found;
  for (const Node& node : graph.nodes())
    if (const auto* synapse = node.as<Synapse>()) found.push_back(synapse);
  return found;
}

// The synapses whose neurons may be masked.
Names masked_neurons(const Graph& graph) {
  Names names;
  for (const std::string& synapse : test::names_of<Synapse>(graph)) {
    const auto neurons = driven_neurons(graph, readers(graph), graph.find(synapse).value());
    if (neurons && graph.node(*neurons).as<Neuron>()->maskable) names.push_back(synapse);
  }
  return names;
}

void expect_outputs(const Graph& graph, const std::vector<int64_t>& wanted, int64_t last_in) {
  const auto found = synapses(graph);
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(found[i]->shape.cout, wanted[i]) << i;
  EXPECT_EQ(found.back()->shape.cin, last_in);
  EXPECT_EQ(driven_neurons(graph, readers(graph), graph.find("fc1").value()), std::nullopt);
}

TEST(Chain, NeuronsOfConvolutionsAfterTheFirstMayBeMasked) {
  EXPECT_EQ(masked_neurons(build("small_conv", "")), (Names{"conv2", "conv3"}));
  EXPECT_EQ(masked_neurons(build("vgg", "layers = '4 A 5 6'\nfc = [7]")),
            (Names{"conv2", "conv3"}));
  EXPECT_EQ(masked_neurons(build("mlp", "hidden = [5, 5]")), Names{});
  EXPECT_EQ(masked_neurons(build("6conv2fc", "width = 2\nfc = 3")),
            (Names{"conv2", "conv3", "conv4", "conv5", "conv6"}));
  EXPECT_EQ(masked_neurons(build("vggsnn", "width = 1")),
            (Names{"conv2", "conv3", "conv4", "conv5", "conv6", "conv7", "conv8"}));
  EXPECT_EQ(masked_neurons(build("vgg13", "width = 1")).size(), 9u);
}

TEST(Chain, EveryWeightOfAPaperNetworkMayBeMasked) {
  for (const char* name : {"6conv2fc", "vggsnn", "vgg13"}) {
    const Graph graph = build(name, "width = 1");
    for (const Synapse* synapse : synapses(graph))
      EXPECT_TRUE(synapse->maskable && !synapse->bias) << name;
  }
}

TEST(SixConvTwoFc, HasTheLayersOfThePaper) {
  const Graph graph = build("6conv2fc", "width = 2\nfc = 5\nvoters = 4");
  EXPECT_EQ(test::names_of<Synapse>(graph),
            (Names{"conv1", "conv2", "conv3", "conv4", "conv5", "conv6", "fc1", "fc2"}));
  EXPECT_EQ(test::names_of<Norm>(graph),
            (Names{"bn_conv1", "bn_conv2", "bn_conv3", "bn_conv4", "bn_conv5", "bn_conv6"}));
  EXPECT_EQ(test::names_of<Neuron>(graph).size(), 8u);  // fc2's too: classes are voted by spikes
  EXPECT_EQ(graph.input_of(graph.nodes().back()).name, "lif_fc2");
  const nm::WeightShape fc1 = test::node_of(graph, "fc1").as<Synapse>()->shape;
  EXPECT_EQ(fc1.cin, 2 * 8 * 8);  // 32x33 -> 16x16 -> 8x8
  EXPECT_EQ(fc1.cout, 5);
  EXPECT_EQ(test::node_of(graph, "fc2").out.channels, 3 * 4);
}

TEST(SixConvTwoFc, TheNormOfFc1IsAChoice) {
  const Graph graph = build("6conv2fc", "width = 2\nfc = 5\nfc_norm = true");
  EXPECT_EQ(test::names_of<Norm>(graph).back(), "bn_fc1");
  EXPECT_EQ(test::names_of<Norm>(graph).size(), 7u);
}

// 32x33 -> 16x16 -> 8x8 -> 4x4 -> 2x2: widths 1 2 4 4 8 8 8 8.
TEST(Vggsnn, HasTheLayersOfThePaper) {
  expect_outputs(build("vggsnn", "width = 1"), {1, 2, 4, 4, 8, 8, 8, 8, 30}, 8 * 2 * 2);
}

// 32x33 -> 16 -> 8 -> 4 -> 2 -> 1.
TEST(Vgg13, HasTheLayersOfThePaper) {
  expect_outputs(build("vgg13", "width = 1"), {1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 30}, 8);
}

}  // namespace
}  // namespace spikenm::graph
