#include "spikenm/graph/tensors.h"

#include "spikenm/graph/graph_toml.h"
#include "support/graphs.h"

#include <gtest/gtest.h>

#include <fmt/ranges.h>

namespace spikenm::graph {
namespace {

std::vector<std::string> texts(const Graph& graph) {
  std::vector<std::string> found;
  for (const TensorShape& tensor : tensors(graph))
    found.push_back(fmt::format("{} {}", tensor.name, fmt::join(tensor.sizes, "x")));
  return found;
}

// That they are those of a network with tensors: tests/nn/models_test.cpp.
TEST(Tensors, AreThoseOfSynapsesThenNormsThenNeuronsThenStatistics) {
  Graph graph("net", {2, 8, 8}, {"a", "b"});
  const NodeId conv = graph.add("c", Synapse{.shape = {3, 0, 3, 3}, .geometry = {1, 1}}, {0});
  const NodeId norm = graph.add("n", Norm{}, {conv});
  const NodeId neurons = graph.add("p", Neuron{.params = {.neuron = NeuronKind::kPlif}}, {norm});
  const NodeId flat = graph.add("f", Flatten{}, {neurons});
  graph.add("l", Synapse{.shape = {2, 0, 1, 1}, .bias = true}, {flat});
  graph.finish();
  EXPECT_EQ(texts(graph), (std::vector<std::string>{"c.weight 3x2x3x3", "l.weight 2x192x1x1",
                                                    "l.bias 2", "n.weight 3", "n.bias 3", "p.w 1",
                                                    "n.running_mean 3", "n.running_var 3"}));
}

// They are known of any network: these weights would be 14 GB.
TEST(Tensors, AreKnownOfANetworkThatWouldNotFit) {
  const Graph graph = test::build_graph("vgg", "layers = '20000 20000'",
                                        {.frame = {2, 18, 17}, .classes = numbered_classes(3)});
  EXPECT_EQ(texts(graph)[1], "conv2.weight 20000x20000x3x3");
}

}  // namespace
}  // namespace spikenm::graph
