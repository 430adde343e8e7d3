// Residual networks: sew_resnet18 and resnet19.
#include "spikenm/graph/models/residual.h"

#include "spikenm/core/text.h"
#include "spikenm/graph/models/neuron_options.h"
#include "spikenm/graph/walks.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace spikenm::graph {
namespace {

using test::node_of;

ModelSpec spec_of(int64_t classes = 3) {
  return {.frame = {3, 16, 12}, .classes = numbered_classes(classes)};
}

Graph build(const std::string& name, const std::string& keys, const ModelSpec& spec = spec_of()) {
  return test::build_graph(name, keys, spec);
}

bool has(const Graph& graph, const std::string& name) {
  return graph.find(name).has_value();
}

// Whether the neurons that the synapse drives may be masked.
bool masks_neurons(const Graph& graph, const std::string& synapse) {
  const auto neurons = driven_neurons(graph, readers(graph), graph.find(synapse).value());
  return neurons && graph.node(*neurons).as<Neuron>()->maskable;
}

// The name of each block's sum; checks what it adds up.
std::string expect_blocks(const Graph& graph, const std::vector<int>& blocks,
                          const std::string& kind) {
  std::string x = "lif_stem";
  for (size_t stage = 0; stage < blocks.size(); ++stage)
    for (int i = 0; i < blocks[stage]; ++i) {
      const std::string at = fmt::format("layer{}.{}.", stage + 1, i);
      const auto reads = [&](const std::string& name) {
        return graph.input_of(node_of(graph, name)).name;
      };
      EXPECT_EQ(reads(at + "conv1"), x);
      EXPECT_EQ(reads(at + "conv2"), kind + "_" + at + "conv1");
      const Node& sum = node_of(graph, at + "sum");
      EXPECT_EQ(graph.input_of(sum).name, kind + "_" + at + "conv2");
      const bool has_shortcut = has(graph, at + "shortcut");
      EXPECT_EQ(has_shortcut ? reads(at + "shortcut") : x, x);
      EXPECT_EQ(graph.node(sum.inputs.at(1)).name, has_shortcut ? kind + "_" + at + "shortcut" : x);
      x = sum.name;
    }
  return x;
}

TEST(SewResnet18, BlocksAddWhatTheyReadOrItsShortcut) {
  const Graph graph = build("sew_resnet18", "width = 4");
  const std::string last = expect_blocks(graph, {2, 2, 2, 2}, "if");
  EXPECT_EQ(node_of(graph, last).out.text(), "32x2x2");
  EXPECT_EQ(graph.input_of(node_of(graph, "mean")).name, last);
  EXPECT_EQ(graph.input_of(node_of(graph, "head")).name, "mean");
  EXPECT_EQ(node_of(graph, "vote").as<Vote>()->voters, 10);
}

TEST(Resnet19, BlocksAddWhatTheyReadOrItsShortcut) {
  const Graph graph = build("resnet19", "width = 8");
  const std::string last = expect_blocks(graph, {3, 3, 2}, "lif");
  EXPECT_EQ(node_of(graph, last).out.text(), "64x4x3");
  EXPECT_EQ(graph.input_of(node_of(graph, "fc1")).name, "mean");
  EXPECT_EQ(graph.input_of(node_of(graph, "fc2")).name, "lif_fc1");
}

TEST(SewResnet18, ShortcutsStandWhereTheShapeChanges) {
  const Graph graph = build("sew_resnet18", "width = 4");
  EXPECT_FALSE(has(graph, "layer1.0.shortcut"));
  for (const char* name : {"layer2.0.shortcut", "layer3.0.shortcut", "layer4.0.shortcut"})
    EXPECT_TRUE(has(graph, name)) << name;
  EXPECT_FALSE(has(graph, "layer2.1.shortcut"));
  EXPECT_TRUE(has(build("resnet19", "width = 4"), "layer1.0.shortcut"));
}

TEST(SewResnet18, StemWeightsAndBlocksMayBeMaskedTheHeadNot) {
  const Graph graph = build("sew_resnet18", "width = 4");
  for (const std::string& name : test::names_of<Synapse>(graph)) {
    const Synapse& synapse = *node_of(graph, name).as<Synapse>();
    EXPECT_EQ(synapse.maskable, name != "head") << name;
    EXPECT_EQ(synapse.bias, name == "head") << name;
    EXPECT_EQ(masks_neurons(graph, name), name.starts_with("layer")) << name;
  }
}

TEST(Resnet19, EveryWeightMayBeMaskedAndNeuronsOfBlocksOnly) {
  const Graph graph = build("resnet19", "width = 4");
  for (const std::string& name : test::names_of<Synapse>(graph)) {
    const Synapse& synapse = *node_of(graph, name).as<Synapse>();
    EXPECT_TRUE(synapse.maskable) << name;
    EXPECT_EQ(synapse.bias, name.starts_with("fc")) << name;
    EXPECT_EQ(masks_neurons(graph, name), name.starts_with("layer")) << name;
    EXPECT_EQ(!driven_neurons(graph, readers(graph), graph.find(name).value()), name == "fc2")
        << name;
  }
}

TEST(SewResnet18, NeuronsOfStemAndBlocksAreOfTheirKinds) {
  const auto kinds = [](const std::string& keys) {
    const Graph graph = build("sew_resnet18", "width = 2\n" + keys);
    const auto names = test::names_of<Neuron>(graph);
    return std::pair{node_of(graph, names.front()).as<Neuron>()->params.neuron,
                     node_of(graph, names.back()).as<Neuron>()->params.neuron};
  };
  EXPECT_EQ(kinds(""), (std::pair{NeuronKind::kLif, NeuronKind::kIf}));
  EXPECT_EQ(kinds("stem = 'imagenet'"), (std::pair{NeuronKind::kIf, NeuronKind::kIf}));
  EXPECT_EQ(kinds("block_neuron = 'plif'"), (std::pair{NeuronKind::kLif, NeuronKind::kPlif}));
  EXPECT_ERROR(kinds("block_neuron = 'adex'"), "model.block_neuron", "adex",
               join(neuron_names(), ", ").c_str());
  EXPECT_ERROR(kinds("stem = 'mnist'"), "model.stem", "cifar, imagenet");
}

// 7x7 stride 2 padding 3, then a 3x3 pool of stride 2: 33x40 -> 17x20 -> 9x10 -> … -> 2x2.
TEST(SewResnet18, TheStemOfImagenetQuartersTheMap) {
  ModelSpec spec = spec_of();
  spec.frame = {3, 33, 40};
  const Graph graph = build("sew_resnet18", "width = 2\nstem = 'imagenet'", spec);
  const nm::WeightShape stem = node_of(graph, "stem").as<Synapse>()->shape;
  EXPECT_EQ(stem.kh, 7);
  EXPECT_EQ(stem.kw, 7);
  EXPECT_EQ(node_of(graph, "stem").out.text(), "2x17x20");
  EXPECT_EQ(node_of(graph, "stem_pool").out.text(), "2x9x10");
  EXPECT_EQ(node_of(graph, "layer4.1.conv2").out.text(), "16x2x2");
  EXPECT_EQ(node_of(graph, "mean").out.text(), "16");
}

// Ten voters a class must be fewer than the features they read: 30 < 32 <= 40, and 30 < 40.
TEST(Resnets, VotersFollowTheWidthUnlessTheyAreGiven) {
  const auto outputs = [](const std::string& model, const std::string& keys, int64_t classes) {
    const Graph graph = build(model, keys, spec_of(classes));
    return graph.input_of(graph.nodes().back()).out.channels;
  };
  EXPECT_EQ(outputs("sew_resnet18", "width = 4", 3), 30);
  EXPECT_EQ(outputs("sew_resnet18", "width = 4", 4), 4);
  EXPECT_EQ(outputs("sew_resnet18", "width = 4\nvoters = 2", 4), 8);
  EXPECT_EQ(outputs("resnet19", "width = 10", 3), 30);
  EXPECT_EQ(outputs("resnet19", "width = 10", 4), 4);
}

// Maps shrink to one position and stay there.
TEST(Resnets, TheSmallestFrameWorks) {
  ModelSpec spec = spec_of();
  spec.frame = {3, 1, 1};
  for (const char* keys : {"width = 2", "width = 2\nstem = 'imagenet'"}) {
    const Graph graph = build("sew_resnet18", keys, spec);
    EXPECT_EQ(node_of(graph, "layer4.1.sum").out.text(), "16x1x1");
    EXPECT_EQ(graph.nodes().back().out.text(), "3");
  }
}

}  // namespace
}  // namespace spikenm::graph
