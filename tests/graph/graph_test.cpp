#include "spikenm/graph/graph.h"

#include "support/expect_error.h"
#include "support/graphs.h"

namespace spikenm::graph {
namespace {

using test::synapse_of;
using Classes = std::vector<std::string>;

TEST(Graph, BeginsWithItsInput) {
  const Graph graph("net", {3, 8, 7}, {"a"});
  ASSERT_EQ(graph.nodes().size(), 1u);
  EXPECT_EQ(graph.node(0).name, "input");
  EXPECT_EQ(graph.node(0).operation_name(), "input");
  EXPECT_EQ(graph.node(0).out.sizes(), (std::vector<int64_t>{3, 8, 7}));
  EXPECT_TRUE(graph.node(0).inputs.empty());
}

TEST(Graph, NodesAreFoundByName) {
  const Graph graph = test::tiny_graph();
  EXPECT_EQ(graph.find("input"), 0u);
  EXPECT_EQ(graph.find("fire"), 2u);
  EXPECT_EQ(graph.find("fir"), std::nullopt);
  EXPECT_EQ(graph.input_of(graph.node(2)).name, "conv");
}

TEST(Graph, ANodeIsOneOperation) {
  const Graph graph = test::tiny_graph();
  EXPECT_NE(graph.node(1).as<Synapse>(), nullptr);
  EXPECT_EQ(graph.node(1).as<Neuron>(), nullptr);
  EXPECT_EQ(graph.node(3).operation_name(), "mean");
}

TEST(Graph, OperationsHaveOneNameEach) {
  EXPECT_EQ(operation_names().size(), std::variant_size_v<Operation>);
  EXPECT_EQ(operation_names()[Operation(Vote{}).index()], "vote");
  EXPECT_EQ(pool_names()[static_cast<size_t>(PoolKind::kMax)], "max");
}

TEST(Graph, ASynapseTakesItsInputChannelsFromWhatItReads) {
  const Graph graph = test::tiny_graph();
  EXPECT_EQ(test::node_of(graph, "conv").as<Synapse>()->shape.cin, 4);
  EXPECT_EQ(test::node_of(graph, "fc").as<Synapse>()->shape.cin, 2);
}

TEST(Graph, NamesGoIntoFilesAsTheyAre) {
  for (const char* name : {"", "a b", "a/b", "é", "a\t"}) {
    EXPECT_ERROR(Graph(name, {1, 1, 1}, {"a"}), "network: found the name");
    Graph graph("net", {1, 1, 1}, {"a"});
    EXPECT_ERROR(graph.add(name, Norm{}, {0}), "node 1 of net: found the name", "letters");
  }
  EXPECT_ERROR(Graph(std::string(101, 'a'), {1, 1, 1}, {"a"}), "network: found the name");
  EXPECT_NO_THROW(Graph("6conv2fc_v1.0-a+b", {1, 1, 1}, {"a"}));
}

TEST(Graph, FramesAndClassesAreOfReasonableSize) {
  EXPECT_ERROR(Graph("net", {0, 8, 8}, {"a"}), "net: found a frame of 0x8x8", "1 to 65536");
  EXPECT_ERROR(Graph("net", {1, 65537, 8}, {"a"}), "net: found a frame of 1x65537x8");
  EXPECT_ERROR(Graph("net", {1, 8, -1}, {"a"}), "net: found a frame of 1x8x-1");
  EXPECT_ERROR(Graph("net", {1, 8, 8}, {}), "net: found 0 classes");
  EXPECT_ERROR(Graph("net", {1, 8, 8}, Classes(1'000'001)), "net: found 1000001 classes");
}

TEST(Graph, ANameIsGivenOnce) {
  Graph graph("net", {1, 8, 8}, {"a"});
  graph.add("norm", Norm{}, {0});
  EXPECT_ERROR(graph.add("norm", Norm{}, {0}), "norm: found two nodes of this name");
  EXPECT_ERROR(graph.add("input", Norm{}, {0}), "input: found two nodes of this name");
}

TEST(Graph, ANodeThatIsRefusedLeavesNothingBehind) {
  Graph graph("net", {1, 8, 8}, {"a"});
  EXPECT_ERROR(graph.add("pool", Pool{.size = 9, .stride = 9}, {0}), "pool: a 9x9 pool");
  EXPECT_EQ(graph.find("pool"), std::nullopt);
  EXPECT_EQ(graph.add("pool", Pool{}, {0}), 1u);
}

TEST(Graph, LongNamesAreCutInMessages) {
  const std::string name(100'000, 'a');
  Graph graph("net", {1, 8, 8}, {"a"});
  try {
    graph.add(name, Norm{}, {0});
    FAIL();
  } catch (const Error& e) {
    EXPECT_LT(std::string(e.what()).size(), 300u);
  }
}

TEST(Graph, ANodeReadsNodesBeforeIt) {
  Graph graph("net", {1, 8, 8}, {"a"});
  EXPECT_THROW(graph.add("norm", Norm{}, {1}), Bug);
}

TEST(Graph, HasAtMostFiveThousandNodes) {
  Graph graph("net", {1, 1, 1}, {"a"});
  NodeId last = 0;
  for (int i = 1; i < 5000; ++i) last = graph.add(fmt::format("n{}", i), Norm{}, {last});
  EXPECT_ERROR(graph.add("more", Norm{}, {last}), "more: found 5000 nodes of net before it",
               "at most 5000");
}

TEST(Graph, IsWholeWhenEveryNodeIsReadAndTheLastGivesScores) {
  Graph graph("net", {2, 4, 4}, {"a", "b"});
  EXPECT_ERROR(graph.finish(), "input: gives 2x4x4", "each of the 2 classes");
  const NodeId mean = graph.add("mean", Mean{}, {0});
  EXPECT_ERROR(graph.finish(), "net: found no synapse");
  const NodeId idle = graph.add("idle", synapse_of(2), {mean});
  graph.add("fc", synapse_of(2), {mean});
  EXPECT_ERROR(graph.finish(), "idle: no node reads it");
  const NodeId sum = graph.add("sum", Sum{}, {idle, idle + 1});
  EXPECT_NO_THROW(graph.finish());
  graph.add("wide", synapse_of(3), {sum});
  EXPECT_ERROR(graph.finish(), "wide: gives 3, wanted one score for each of the 2 classes");
}

TEST(Shape, TextIsThatOfMapsAndRows) {
  EXPECT_EQ((Shape{16, 8, 9}).text(), "16x8x9");
  EXPECT_EQ((Shape{.channels = 128, .is_map = false}).text(), "128");
  EXPECT_EQ((Shape{.channels = 5, .is_map = false}).sizes(), std::vector<int64_t>{5});
  EXPECT_EQ((Shape{16, 8, 9}).values(), 16 * 8 * 9);
}

TEST(NumberedClasses, AreCalledByTheirNumbers) {
  EXPECT_EQ(numbered_classes(3), (Classes{"0", "1", "2"}));
}

}  // namespace
}  // namespace spikenm::graph
