// What holds for every network of the registry, and what a config may ask of them.
#include "spikenm/graph/models/models.h"

#include "spikenm/core/file.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/graph/walks.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/temp_dir.h"

#include <set>

namespace spikenm::graph {
namespace {

using test::build_graph;

const ModelSpec kSpec{.frame = {2, 18, 17}, .classes = numbered_classes(3)};
const ModelSpec kDeep{.frame = {2, 33, 32}, .classes = numbered_classes(3)};  // five pools fit

int64_t count_weights(const Graph& graph) {
  int64_t n = 0;
  for (const Node& node : graph.nodes())
    if (const auto* synapse = node.as<Synapse>()) n += synapse->shape.numel();
  return n;
}

TEST(Models, EveryModelKnowsItsFrameAndWhatItsSynapsesDrive) {
  for (const std::string& name : models().names()) {
    const Graph graph = build_graph(name, "", kDeep);
    EXPECT_EQ(graph.name(), name);
    EXPECT_EQ(graph.frame(), kDeep.frame) << name;
    EXPECT_EQ(graph.classes(), kDeep.classes) << name;
    EXPECT_EQ(graph.nodes().back().out.text(), "3") << name;
    EXPECT_NO_THROW(graph.finish()) << name;
    std::set<NodeId> driven;
    for (const std::string& synapse : test::names_of<Synapse>(graph)) {
      const auto neurons = driven_neurons(graph, readers(graph), graph.find(synapse).value());
      if (!neurons) continue;
      EXPECT_TRUE(driven.insert(*neurons).second) << name << " " << synapse;
      EXPECT_TRUE(graph.node(*neurons).name.ends_with("_" + synapse)) << name << " " << synapse;
    }
    EXPECT_EQ(driven.size(), test::names_of<Neuron>(graph).size()) << name;
  }
}

TEST(Models, NeuronsAreThoseOfTheSpec) {
  ModelSpec spec = kDeep;
  spec.neuron.params.neuron = NeuronKind::kPlif;
  spec.neuron.tau = 4;
  spec.neuron.params.threshold = 0.25;
  for (const std::string& name : models().names()) {
    const Graph graph = build_graph(name, "", spec);
    for (const Node& node : graph.nodes()) {
      const auto* const neuron = node.as<Neuron>();
      if (neuron == nullptr) continue;
      EXPECT_EQ(neuron->tau, 4) << name << " " << node.name;
      EXPECT_EQ(neuron->params.threshold, 0.25) << name << " " << node.name;
    }
  }
}

TEST(Models, SizesThatNoNetworkHasAreRefused) {
  EXPECT_ERROR(build_graph("mlp", "hidden = [4611686018427387904]", kSpec), "fc1",
               "4611686018427387904");
  EXPECT_ERROR(build_graph("vgg", "layers = '100000 100000'", kSpec), "conv2", "100000x100000x3x3");
  std::string layers = "hidden = [1", words = "64";
  for (int i = 1; i < 1000; ++i) {
    layers += ", 1";
    words += " 64";
  }
  const char* const limit = "found 1000 layers, wanted at most 999 (a fixed limit)";
  EXPECT_ERROR(build_graph("mlp", layers + "]", kSpec), "hidden: ", limit);
  EXPECT_ERROR(build_graph("vgg", "layers = '" + words + "'", kSpec), "layers: ", limit);
}

// 2*18*17 -> 10 -> 7 -> 3 classes of 2 voters.
TEST(Mlp, WeightsAreThoseCountedByHand) {
  const Graph graph = build_graph("mlp", "hidden = [10, 7]\nvoters = 2", kSpec);
  EXPECT_EQ(count_weights(graph), 612 * 10 + 10 * 7 + 7 * 6);
  EXPECT_EQ(test::names_of<Norm>(graph), (std::vector<std::string>{"bn_fc1", "bn_fc2"}));
  EXPECT_EQ(count_weights(build_graph("mlp", "hidden = []", kSpec)), 612 * 3);
}

// 18x17 -> 9x8 -> 4x4 -> 2x2.
TEST(SmallConv, WeightsAreThoseCountedByHand) {
  EXPECT_EQ(count_weights(build_graph("small_conv", "width = 5\nvoters = 4", kSpec)),
            9 * (2 * 5 + 5 * 10 + 10 * 10) + 10 * 2 * 2 * 3 * 4);
}

// 18x17 -> 9x8 -> 4x4, then 6*4*4 -> 11 -> 3*10.
TEST(Vgg, WeightsAreThoseCountedByHand) {
  EXPECT_EQ(count_weights(build_graph("vgg", "layers = '4 M 5 6 A'\nfc = [11]", kSpec)),
            9 * (2 * 4 + 4 * 5 + 5 * 6) + 96 * 11 + 11 * 30);
}

TEST(Vgg, LayersAreNamedInOrder) {
  const Graph graph = build_graph("vgg", "layers = '4 M 5 A'\nfc = [6]", kSpec);
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.push_back(node.name);
  EXPECT_EQ(names, (std::vector<std::string>{"input", "conv1", "bn_conv1", "lif_conv1", "pool1",
                                             "conv2", "bn_conv2", "lif_conv2", "pool2", "flatten",
                                             "fc1", "bn_fc1", "lif_fc1", "fc2", "vote"}));
}

TEST(Vgg, APoolIsOfItsKind) {
  const Graph graph = build_graph("vgg", "layers = '4 A 4 M'", kSpec);
  EXPECT_EQ(test::node_of(graph, "pool1").as<Pool>()->kind, PoolKind::kAverage);
  EXPECT_EQ(test::node_of(graph, "pool2").as<Pool>()->kind, PoolKind::kMax);
}

TEST(Vgg, BadLayersAreErrors) {
  for (const char* word : {"B", "4x", "0", "-3"})
    EXPECT_ERROR(build_graph("vgg", fmt::format("layers = '4 {}'", word)), "model.layers",
                 fmt::format("'{}'", word).c_str(), "A or M");
  EXPECT_ERROR(build_graph("vgg", "layers = '99999999999999999999'"), "model.layers");
  EXPECT_ERROR(build_graph("vgg", "fc = [0]"), "model.fc", "found 0");
  EXPECT_ERROR(build_graph("vgg", "voters = 0"), "model.voters");
}

TEST(Models, APoolThatFindsNoMapIsAnError) {
  EXPECT_ERROR(build_graph("vgg", "layers = '4 A A A A A'", kSpec), "2x2 pool", "1x1",
               "larger frames or fewer pools");
  ModelSpec flat = kSpec;
  flat.frame.height = 7;
  EXPECT_ERROR(build_graph("small_conv", "", flat), "2x2 pool", "1x4");
}

TEST(Models, BadSizesAreErrors) {
  EXPECT_ERROR(build_graph("mlp", "hidden = [5, 0]"), "model.hidden", "found 0");
  EXPECT_ERROR(build_graph("mlp", "voters = 0"), "model.voters");
  EXPECT_ERROR(build_graph("small_conv", "width = 0"), "model.width");
  EXPECT_ERROR(build_graph("small_conv", "pool = 'median'"), "model.pool", "average, max");
  EXPECT_ERROR(build_graph("resnet", ""), "resnet", "mlp, small_conv, vgg", "sew_resnet18");
  for (const char* name : {"6conv2fc", "vggsnn", "vgg13", "sew_resnet18", "resnet19"}) {
    EXPECT_ERROR(build_graph(name, "width = 0", kDeep), "model.width");
    EXPECT_ERROR(build_graph(name, "width = 4\nvoters = 0", kDeep), "model.voters");
  }
  EXPECT_ERROR(build_graph("6conv2fc", "width = 4\nfc = 0"), "model.fc");
}

void make(const std::string& text) {
  const Config config = Config::from_text(text, "test");
  static_cast<void>(make_model({2, 34, 34}, numbered_classes(3), config));
  config.reject_unread();
}

TEST(MakeModel, ReadsModelAndNeuron) {
  const Config config = Config::from_text(
      "[model]\nname = 'vgg'\nlayers = '4 A'\n[neuron]\nname = 'plif'\ntau = 3", "test");
  const Graph graph = make_model({1, 8, 8}, {"a", "b"}, config);
  EXPECT_EQ(graph.name(), "vgg");
  EXPECT_EQ(graph.classes(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(test::node_of(graph, "plif_conv1").as<Neuron>()->tau, 3);
  EXPECT_EQ(make_model({1, 8, 8}, {"a"}, Config()).name(), "small_conv");
}

TEST(MakeModel, AFilesNumbersOfClassesBecomeTheNamesOfTheData) {
  const test::TempDir dir;
  const auto made_of = [&](const std::vector<std::string>& own,
                           const std::vector<std::string>& of_data) {
    const ModelSpec spec{.frame = {1, 8, 8}, .classes = own};
    write_file_atomically(dir / "net.toml", to_toml(build_graph("mlp", "", spec)));
    const std::string text = "[model]\nfile = '" + (dir / "net.toml").string() + "'";
    return make_model({1, 8, 8}, of_data, Config::from_text(text, "test")).classes();
  };
  const std::vector<std::string> animals{"cat", "dog"}, numbers{"0", "1"};
  EXPECT_EQ(made_of(numbers, animals), animals);
  EXPECT_EQ(made_of(animals, animals), animals);
  EXPECT_EQ(made_of(animals, numbers), animals);
  EXPECT_ERROR(made_of({"dog", "cat"}, animals),
               "net.toml: class 0 is 'dog', and 'cat' in the data");
}

TEST(CheckClassNames, WhereBothHaveNamesTheyAreTheSame) {
  using Names = std::vector<std::string>;
  const auto check = [](const Names& own, const Names& of_data) {
    check_class_names(build_graph("mlp", "", {.frame = {1, 8, 8}, .classes = own}), of_data, "net");
  };
  for (const Names& of_data : {Names{"cat", "dog"}, Names{"0", "1"}, Names{}})
    EXPECT_NO_THROW(check({"cat", "dog"}, of_data));
  EXPECT_NO_THROW(check({"0", "1"}, {"cat", "dog"}));
  EXPECT_ERROR(check({"cat", "dog"}, {"ant", "bee"}),
               "net: class 0 is 'cat', and 'ant' in the data");
  EXPECT_ERROR(check({"cat", "dog"}, {"cat", "bee"}),
               "net: class 1 is 'dog', and 'bee' in the data");
}

TEST(MakeModel, KeysThatNoNeuronFollowsHaveNoEffect) {
  EXPECT_ERROR(make("[neuron]\nname = 'if'\ntau = 3"),
               "neuron.tau: has no effect with neuron.name = \"if\"");
  EXPECT_ERROR(make("[neuron]\nname = 'if'\ndecay_input = false"), "neuron.decay_input");
  for (const NeuronTraits& kind : neuron_kinds()) {
    if (has_current(kind.kind)) continue;
    const std::string name(kind.name);
    EXPECT_ERROR(make("[neuron]\nname = '" + name + "'\ntau_syn = 3"),
                 "neuron.tau_syn: has no effect with neuron.name = ", name.c_str());
  }
  EXPECT_ERROR(make("[neuron]\nname = 'cuba-lif'\ndecay_input = true"),
               "neuron.decay_input: has no effect with neuron.name = \"cuba-lif\"");
  EXPECT_NO_THROW(make("[neuron]\nname = 'cuba-lif'\ntau = 3\ntau_syn = 4"));
  EXPECT_ERROR(make("[model]\nname = 'sew_resnet18'\nstem = 'imagenet'\n[neuron]\nname = 'lif'"),
               "neuron.name: has no effect");
  EXPECT_NO_THROW(make("[model]\nname = 'sew_resnet18'\n[neuron]\nname = 'lif'\ntau = 3"));
  EXPECT_NO_THROW(
      make("[model]\nname = 'sew_resnet18'\nblock_neuron = 'cuba-lif'\n"
           "[neuron]\ntau_syn = 3\ndecay_input = false"));
}

}  // namespace
}  // namespace spikenm::graph
