#include "spikenm/graph/graph_toml.h"

#include "spikenm/core/file.h"
#include "spikenm/graph/graph_json.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/temp_dir.h"

namespace spikenm::graph {
namespace {

constexpr const char* kSmall = R"(format = "spikenm-graph"
version = 1
name = "small"
frame = [1, 4, 4]
classes = ["no", "yes"]

[[node]]
name = "flatten"
op = "flatten"

[[node]]
name = "fc"
op = "synapse"
out = 2
)";

TEST(GraphToml, EveryModelReadsBackAsItWas) {
  for (const std::string& name : models().names())
    for (const NeuronTraits& kind : neuron_kinds()) {
      ModelSpec spec;
      spec.neuron.params.neuron = kind.kind;
      spec.neuron.tau = 1.0 / 0.3;
      spec.neuron.params.k = 1 / spec.neuron.tau;
      spec.neuron.tau_syn = 1.0 / 0.7;
      spec.neuron.params.k_syn = 1 / spec.neuron.tau_syn;
      spec.neuron.params.surrogate = Surrogate::kSigmoid;
      spec.neuron.params.v_reset = -0.0;
      const Graph graph = test::build_graph(name, "", spec);
      EXPECT_EQ(graph_to_json(from_toml(to_toml(graph), "test")).dump(),
                graph_to_json(graph).dump())
          << name;
    }
}

TEST(GraphToml, LeavesOutWhatReadingFillsIn) {
  EXPECT_EQ(to_toml(test::tiny_graph()),
            "# A spiking network of SpikeNM, node by node, each with what it gives. A node without "
            "inputs reads\n# the node above it; constants that are left out have their defaults.\n"
            "format = \"spikenm-graph\"\nversion = 1\nname = \"tiny\"\nframe = [4, 6, 5]\n"
            "classes = [\"cat\", \"dog\", \"owl\"]\n"
            "\n[[node]]  # 2x6x5\nname = \"conv\"\nop = \"synapse\"\nout = 2\nkernel = 3\n"
            "padding = 1\n"
            "\n[[node]]  # 2x6x5\nname = \"fire\"\nop = \"neuron\"\nkind = \"lif\"\n"
            "\n[[node]]  # 2\nname = \"mean\"\nop = \"mean\"\n"
            "\n[[node]]  # 3\nname = \"fc\"\nop = \"synapse\"\nout = 3\n");
}

TEST(GraphToml, ManyClassesTakeSeveralLines) {
  ModelSpec spec;
  spec.classes = numbered_classes(1000);
  const Graph graph = test::build_graph("mlp", "", spec);
  const std::string text = to_toml(graph);
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 110u);
    at = end + 1;
  }
  EXPECT_EQ(from_toml(text, "test").classes(), spec.classes);
}

TEST(GraphToml, AnyTextMayNameAClass) {
  const std::vector<std::string> classes{"a\"b\\c", "\x7f\x01\t\n", "",
                                         "# [x]",   "é 猫",         std::string("\0", 1)};
  Graph graph("net", {1, 1, 1}, classes);
  graph.add("fc", test::synapse_of(6), {graph.add("flatten", Flatten{}, {0})});
  EXPECT_EQ(from_toml(to_toml(graph), "test").classes(), classes);
}

TEST(GraphToml, TheSmallestDoublesReadBack) {
  Graph graph("net", {1, 1, 1}, {"a"});
  Neuron neuron;
  neuron.params.threshold = 5e-324;
  neuron.params.v_reset = -1.7976931348623157e308;
  const NodeId flat = graph.add("flatten", Flatten{}, {0});
  graph.add("fire", neuron, {graph.add("fc", test::synapse_of(1), {flat})});
  EXPECT_EQ(graph_to_json(from_toml(to_toml(graph), "test")).dump(), graph_to_json(graph).dump());
}

TEST(GraphToml, ErrorsBeginWithTheSource) {
  const std::string text = kSmall;
  EXPECT_ERROR(from_toml(text + "kernal = 3\n", "net.toml"), "net.toml: fc: found the key 'kernal'",
               "nearest: kernel");
  EXPECT_ERROR(from_toml(text + "padding = inf\n", "net.toml"), "net.toml: fc: padding: found inf");
  EXPECT_ERROR(from_toml(text + "x = \n", "net.toml"), "net.toml:15:", "not valid TOML");
  EXPECT_ERROR(from_toml("", "net.toml"), "net.toml: found no format");
  EXPECT_ERROR(from_toml("format = 2000-01-01", "net.toml"), "found a date");
}

TEST(GraphToml, TenThousandNodesAreTooMany) {
  std::string text = kSmall;
  for (int i = 0; i < 9'000; ++i) text += fmt::format("[[node]]\nname = 'n{}'\nop = 'norm'\n", i);
  EXPECT_ERROR(from_toml(text, "net.toml"), "net.toml: n4997: found 5000 nodes of small before it");
  for (int i = 9'000; i < 10'001; ++i) text += "[[node]]\n";
  EXPECT_ERROR(from_toml(text, "net.toml"), "net.toml:", "more than 10000 tables");
}

TEST(ReadGraph, TheEndingSaysWhatAFileIs) {
  const test::TempDir dir;
  const Json wanted = graph_to_json(from_toml(kSmall, "test"));
  write_file_atomically(dir.path() / "net.toml", kSmall);
  write_file_atomically(dir.path() / "net.json", wanted.dump());
  EXPECT_EQ(graph_to_json(read_graph_file(dir.path() / "net.toml")), wanted);
  EXPECT_EQ(graph_to_json(read_graph_file(dir.path() / "net.json")), wanted);
  EXPECT_ERROR(read_graph_file(dir.path() / "net.onnx"), "net.onnx: found the ending '.onnx'",
               ".toml or .json");
  EXPECT_ERROR(read_graph_file(dir.path() / "none.json"), "none.json");
  write_file_atomically(dir.path() / "bad.json", "{");
  EXPECT_ERROR(read_graph_file(dir.path() / "bad.json"), "bad.json: found broken JSON");
}

}  // namespace
}  // namespace spikenm::graph
