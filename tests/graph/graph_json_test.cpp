#include "spikenm/graph/graph_json.h"

#include "spikenm/core/json_text.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace spikenm::graph {
namespace {

// A file of two nodes, with the second's keys as given.
Json file_with(const std::string& second) {
  return parse_json_object(R"({"format": "spikenm-graph", "version": 1, "name": "net",
      "frame": [2, 8, 8], "classes": ["a", "b"],
      "node": [{"name": "mean", "op": "mean"}, )" +
                               second + "]}",
                           "test");
}

Graph read(const std::string& second) {
  return graph_from_json(file_with(second), "net.json");
}

// The first file of these tests, with one of its keys replaced.
Graph read_header(const std::string& key, const Json& value) {
  Json json = file_with(R"({"name": "fc", "op": "synapse", "out": 2})");
  json[key] = value;
  return graph_from_json(json, "net.json");
}

const Neuron& neurons_of(const Graph& graph, const std::string& name) {
  return *test::node_of(graph, name).as<Neuron>();
}

TEST(GraphJson, EveryModelReadsBackAsItWas) {
  for (const std::string& name : models().names()) {
    const Json written = graph_to_json(test::build_graph(name));
    const Graph again = graph_from_json(parse_json_object(written.dump(), "test"), "test");
    EXPECT_EQ(graph_to_json(again).dump(), written.dump()) << name;
  }
}

TEST(GraphJson, ReadingGivesShapesInputsAndConstants) {
  const Graph graph = test::build_graph("sew_resnet18", "width = 2\nstem = 'imagenet'");
  const Graph again = graph_from_json(graph_to_json(graph), "test");
  ASSERT_EQ(again.nodes().size(), graph.nodes().size());
  EXPECT_EQ(again.name(), "sew_resnet18");
  EXPECT_EQ(again.frame(), graph.frame());
  EXPECT_EQ(again.classes(), graph.classes());
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node &a = again.node(id), &b = graph.node(id);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.inputs, b.inputs) << b.name;
    EXPECT_EQ(a.out, b.out) << b.name;
    EXPECT_EQ(a.operation.index(), b.operation.index()) << b.name;
    const auto* const neuron = b.as<Neuron>();
    if (neuron == nullptr) continue;
    EXPECT_EQ(a.as<Neuron>()->params.k, neuron->params.k) << b.name;
  }
}

TEST(GraphJson, EveryConstantReadsBackToTheLastBit) {
  Graph graph("net", {1, 9, 9}, {"<a>", "b \"c\"\n"});
  const Synapse conv{.shape = {3, 0, 5, 2},
                     .geometry = {.stride = 2, .padding = 1},
                     .bias = true,
                     .maskable = false};
  const Neuron neuron{.params = {.neuron = NeuronKind::kPlif,
                                 .surrogate = Surrogate::kTriangle,
                                 .alpha = 0.1,
                                 .k = 1 / 1.7,
                                 .threshold = 5e-324,
                                 .v_reset = -1.0 / 3,
                                 .soft_reset = true,
                                 .decay_input = false,
                                 .detach_reset = false},
                      .tau = 1.7,
                      .maskable = true};
  NodeId last = graph.add("conv", conv, {0});
  last = graph.add("fire", neuron, {last});
  last =
      graph.add("pool", Pool{.kind = PoolKind::kMax, .size = 3, .stride = 1, .padding = 1}, {last});
  last = graph.add("flatten", Flatten{}, {last});
  last = graph.add("fc", test::synapse_of(6), {last});
  graph.add("vote", Vote{.voters = 3}, {last});
  const Graph again =
      graph_from_json(parse_json_object(graph_to_json(graph).dump(), "test"), "test");
  EXPECT_EQ(again.classes(), graph.classes());
  const auto& s = *test::node_of(again, "conv").as<Synapse>();
  EXPECT_EQ((std::vector<int64_t>{s.shape.cout, s.shape.cin, s.shape.kh, s.shape.kw}),
            (std::vector<int64_t>{3, 1, 5, 2}));
  EXPECT_EQ(s.geometry.stride, 2);
  EXPECT_EQ(s.geometry.padding, 1);
  EXPECT_TRUE(s.bias && !s.maskable);
  const Neuron& n = neurons_of(again, "fire");
  EXPECT_EQ(n.params.neuron, NeuronKind::kPlif);
  EXPECT_EQ(n.params.surrogate, Surrogate::kTriangle);
  EXPECT_EQ(n.params.alpha, 0.1);
  EXPECT_EQ(n.params.k, 1 / 1.7);
  EXPECT_EQ(n.params.threshold, 5e-324);
  EXPECT_EQ(n.params.v_reset, -1.0 / 3);
  EXPECT_TRUE(n.params.soft_reset && !n.params.decay_input && !n.params.detach_reset);
  EXPECT_EQ(n.tau, 1.7);
  EXPECT_TRUE(n.maskable);
  const Pool& pool = *test::node_of(again, "pool").as<Pool>();
  EXPECT_EQ(pool.kind, PoolKind::kMax);
  EXPECT_EQ((std::vector<int64_t>{pool.size, pool.stride, pool.padding}),
            (std::vector<int64_t>{3, 1, 1}));
  EXPECT_EQ(test::node_of(again, "vote").as<Vote>()->voters, 3);
}

TEST(GraphJson, OnlyNeuronsWithACurrentHaveItsTimeConstant) {
  Graph graph("net", {1, 1, 1}, {"a"});
  NodeId last = graph.add("flatten", Flatten{}, {0});
  last = graph.add("fc", test::synapse_of(1), {last});
  for (const NeuronTraits& kind : neuron_kinds())
    last = graph.add(std::string(kind.name),
                     Neuron{.params = {.neuron = kind.kind, .k_syn = 1 / 1.7}, .tau_syn = 1.7},
                     {last});
  const Json json = graph_to_json(graph);
  for (size_t i = 0; i < neuron_kinds().size(); ++i) {
    const Json& node = json["node"][2 + i];  // behind flatten and fc
    EXPECT_EQ(node["name"], neuron_kinds()[i].name);
    EXPECT_EQ(node.contains("tau_syn"), has_current(neuron_kinds()[i].kind)) << node["name"];
  }
  const Neuron again = neurons_of(graph_from_json(json, "test"), "cuba-lif");
  EXPECT_EQ(again.tau_syn, 1.7);
  EXPECT_EQ(again.params.k_syn, 1 / 1.7);
  EXPECT_EQ(neurons_of(read(R"({"name": "fc", "op": "synapse", "out": 2},
                               {"name": "n", "op": "neuron", "kind": "cuba-lif"})"),
                       "n")
                .params.k_syn,
            0.5);
  EXPECT_ERROR(read(R"({"name": "n", "op": "neuron", "kind": "lif", "tau_syn": 2})"),
               "net.json: n: found the key 'tau_syn'");
  EXPECT_ERROR(read(R"({"name": "n", "op": "neuron", "kind": "cuba-lif", "tau_syn": 0.5})"),
               "net.json: n: found tau_syn 0.5, wanted at least 1");
}

TEST(GraphJson, WhatIsLeftOutHasTheDefaultsOfConfigs) {
  const Graph graph = read(R"({"name": "fc", "op": "synapse", "out": 4},
      {"name": "fire", "op": "neuron"}, {"name": "sig", "op": "neuron", "surrogate": "sigmoid"},
      {"name": "vote", "op": "vote", "voters": 2})");
  EXPECT_EQ(graph.input_of(test::node_of(graph, "fire")).name, "fc");
  const auto& fc = *test::node_of(graph, "fc").as<Synapse>();
  EXPECT_EQ(fc.shape.numel(), 4 * 2);
  EXPECT_EQ(fc.geometry.stride, 1);
  EXPECT_EQ(fc.geometry.padding, 0);
  EXPECT_TRUE(!fc.bias && fc.maskable);
  const NeuronParams& p = neurons_of(graph, "fire").params;
  EXPECT_EQ(p.neuron, NeuronKind::kLif);
  EXPECT_EQ(p.k, 0.5);
  EXPECT_EQ(p.threshold, 1);
  EXPECT_EQ(p.v_reset, 0);
  EXPECT_TRUE(!p.soft_reset && p.decay_input && p.detach_reset);
  EXPECT_EQ(p.surrogate, Surrogate::kAtan);
  EXPECT_EQ(p.alpha, 2);
  EXPECT_EQ(neurons_of(graph, "fire").tau, 2);
  EXPECT_EQ(neurons_of(graph, "sig").params.alpha, 4);
}

TEST(GraphJson, WindowsOfAPoolLieSideBySideUnlessAStrideIsGiven) {
  Json json = file_with(R"({"name": "fc", "op": "synapse", "out": 2})");
  json["node"].insert(json["node"].begin(), Json{{"name", "pool"}, {"op", "pool"}, {"size", 4}});
  EXPECT_EQ(test::node_of(graph_from_json(json, "test"), "pool").out.text(), "2x2x2");
}

TEST(GraphJson, HeadersThatAreNotOursAreErrors) {
  EXPECT_ERROR(read_header("format", "onnx"), "net.json: format: found 'onnx'", "spikenm-graph");
  EXPECT_ERROR(read_header("version", 2), "net.json: version: found 2, wanted 1");
  EXPECT_ERROR(read_header("version", "1"), "net.json: version: found \"1\"", "whole number");
  EXPECT_ERROR(read_header("name", ""), "net.json: ", "the name ''");
  EXPECT_ERROR(read_header("frame", {2, 8}), "net.json: frame: found 2 numbers", "[channels,");
  EXPECT_ERROR(read_header("frame", {2, 8, 0}), "net.json: net: found a frame of 2x8x0");
  EXPECT_ERROR(read_header("frame", {2, 8, 1.5}), "net.json: frame: found [2,8,1.5]", "a list");
  EXPECT_ERROR(read_header("classes", Json::array()), "net.json: net: found 0 classes");
  EXPECT_ERROR(read_header("classes", {"a", 1}), "net.json: classes: found [\"a\",1]");
  EXPECT_ERROR(read_header("classes", {"a", "b", "c"}), "net.json: fc: gives 2", "3 classes");
  EXPECT_ERROR(read_header("nodes", 1), "net.json: found the key 'nodes'", "nearest: node)");
  EXPECT_ERROR(read_header("node", Json::array()), "net.json: node: found []", "list of nodes");
  EXPECT_ERROR(read_header("node", {{{"op", "mean"}}}), "net.json: node 1: found no name");
  EXPECT_ERROR(read_header("node", {1}), "net.json: node 1: found 1, wanted a table");
  EXPECT_ERROR(graph_from_json(Json::array(), "net.json"), "net.json: found [], wanted a table");
  EXPECT_ERROR(graph_from_json(Json::object(), "net.json"), "net.json: found no format");
}

TEST(GraphJson, NodesThatMakeNoSenseAreErrorsThatNameThem) {
  EXPECT_ERROR(read(R"({"name": "fc", "out": 2})"), "net.json: fc: found no op", "synapse, norm");
  EXPECT_ERROR(read(R"({"name": "fc", "op": "conv", "out": 2})"), "net.json: fc: op: found 'conv'",
               "synapse, norm, neuron, pool, sum, flatten, mean, vote", "nearest: ");
  EXPECT_ERROR(read(R"({"name": "fc", "op": "input"})"), "net.json: fc: op: found 'input'");
  EXPECT_ERROR(read(R"({"name": "fc", "op": "synapse"})"), "net.json: fc: found no out");
  EXPECT_ERROR(read(R"({"name": "fc", "op": "synapse", "out": 0})"), "net.json: fc: found out 0");
  EXPECT_ERROR(read(R"({"name": "fc", "op": "synapse", "out": "2"})"),
               "net.json: fc: out: found \"2\", wanted a whole number");
  EXPECT_ERROR(read(R"({"name": "fc", "op": "synapse", "out": 18446744073709551615})"),
               "net.json: fc: out: found 18446744073709551615, wanted a whole number");
  EXPECT_ERROR(read(R"({"name": "fc", "op": "synapse", "out": 2, "kernel": [1, 1, 1]})"),
               "net.json: fc: kernel: found 3 numbers", "[height, width]");
  EXPECT_ERROR(read(R"({"name": "fc", "op": "synapse", "out": 2, "strid": 1})"),
               "net.json: fc: found the key 'strid'", "nearest: stride");
  EXPECT_ERROR(read(R"({"name": "n", "op": "neuron", "kind": "liff"})"),
               "net.json: n: kind: found 'liff', wanted one of if, lif, ", "(nearest: lif)");
  EXPECT_ERROR(read(R"({"name": "n", "op": "neuron", "reset": true})"),
               "net.json: n: reset: found true, wanted text");
  EXPECT_ERROR(read(R"({"name": "n", "op": "neuron", "tau": 0.5})"), "net.json: n: found tau 0.5");
  EXPECT_ERROR(read(R"({"name": "n", "op": "norm", "tau": 2})"),
               "net.json: n: found the key 'tau'");
  EXPECT_ERROR(read(R"({"name": "p", "op": "pool"})"), "net.json: p: a 2x2 pool finds 2");
  EXPECT_ERROR(read(R"({"name": "mean", "op": "norm"})"),
               "net.json: mean: found two nodes of this name");
  EXPECT_ERROR(read(R"({"name": "a b", "op": "norm"})"), "net.json: node 2 of net", "'a b'");
  EXPECT_ERROR(read(R"({"name": "fc", "op": "synapse", "out": 3})"), "net.json: fc: gives 3");
}

// A zero byte ends what() of an error.
TEST(GraphJson, NamesThatCannotBePrintedDoNotCutTheMessage) {
  EXPECT_ERROR(read(R"({"name": "a\u0000b", "op": "norm"})"), "found the name 'a\\x00b'",
               "letters, digits");
  EXPECT_ERROR(read(R"({"name": "a\u0000b", "op": "norms"})"),
               "net.json: a\\x00b: op: found 'norms'");
  EXPECT_ERROR(read(R"({"name": "a", "op": "norm", "inputs": ["b\u0000"]})"),
               "inputs: found 'b\\x00', wanted the name");
  EXPECT_ERROR(read(R"({"name": "a", "op": "norm", "k\u0000": 1})"),
               "the key 'k\\x00', wanted one");
  EXPECT_ERROR(read_header("name", std::string("a\0b", 3)), "the name 'a\\x00b', wanted 1 to");
}

TEST(GraphJson, InputsAreNodesAbove) {
  EXPECT_ERROR(read(R"({"name": "fc", "op": "synapse", "out": 2, "inputs": ["meen"]})"),
               "net.json: fc: inputs: found 'meen'", "a node above it (nearest: mean)");
  EXPECT_ERROR(read(R"({"name": "a", "op": "norm", "inputs": ["b"]}, {"name": "b", "op": "norm"})"),
               "net.json: a: inputs: found 'b', which does not stand above it", "no cycles");
  EXPECT_ERROR(read(R"({"name": "a", "op": "norm", "inputs": ["a"]})"),
               "net.json: a: inputs: found 'a', which does not stand above it");
  EXPECT_ERROR(read(R"({"name": "a", "op": "norm", "inputs": 3})"),
               "net.json: a: inputs: found 3, wanted a list of texts in quotes");
  EXPECT_ERROR(read(R"({"name": "a", "op": "norm", "inputs": []})"),
               "net.json: a: found 0 inputs, wanted 1");
  EXPECT_ERROR(read(R"({"name": "a", "op": "sum"})"), "net.json: a: found 1 inputs, wanted 2");
  const Graph twice = read(R"({"name": "a", "op": "sum", "inputs": ["mean", "mean"]},
      {"name": "fc", "op": "synapse", "out": 2, "inputs": "a"})");
  EXPECT_EQ(test::node_of(twice, "a").inputs, (std::vector<NodeId>{1, 1}));
}

TEST(GraphJson, MoreNodesThanAGraphMayHaveAreRefusedByName) {
  std::string nodes = R"({"name": "n0", "op": "norm"})";
  for (int i = 1; i < 10'000; ++i) nodes += fmt::format(R"(, {{"name": "n{}", "op": "norm"}})", i);
  EXPECT_ERROR(read(nodes), "net.json: n4998: found 5000 nodes of net before it");
}

TEST(GraphJson, LongValuesAreCutInMessages) {
  const std::string text(100'000, 'x');
  try {
    (void)read_header("frame", text);
    FAIL();
  } catch (const Error& e) {
    EXPECT_LT(std::string(e.what()).size(), 300u);
  }
}

TEST(GraphJson, ClassesThatAreNotUtf8CannotBeWritten) {
  const Graph graph("net", {1, 1, 1}, {"\xff"});
  EXPECT_ERROR(graph_to_json(graph), "net: found a class", "UTF-8");
}

}  // namespace
}  // namespace spikenm::graph
