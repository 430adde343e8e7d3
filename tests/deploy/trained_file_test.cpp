// Model files as they come, without torch. That the trainer reads the same ones to the same bytes, and
// refuses the same ones in the same words: both_readers_test.cpp.
#include "spikenm/deploy/trained_file.h"

#include "spikenm/core/file.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/graph/tensors.h"
#include "spikenm/runtime/model.h"
#include "spikenm/runtime/snm_file.h"
#include "spikenm/train/mask_rules.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/temp_dir.h"

#include <cmath>
#include <cstring>
#include <numeric>

namespace spikenm::deploy {
namespace {

const std::string kConfig =
    "seed = 7\n[model]\nT = 3\n[data]\nname = 'n-mnist'\nroot = 'nowhere'\nframes_by = 'time'\n"
    "[method]\nname = 'magnitude'\n";

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// A model of small_conv: conv2 is 2:4, fc1 keeps two of three weights, lif_conv2 two of three neurons.
class TrainedFiles : public testing::Test {
 protected:
  TrainedFiles()
      : graph(test::build_graph("small_conv", "width = 4\nvoters = 1",
                                {.frame = {2, 34, 34}, .classes = graph::numbered_classes(10)})) {
    for (const graph::TensorShape& tensor : graph::tensors(graph)) add_values(tensor);
    add_mask("conv2", [](size_t i) { return i / 9 % 4 < 2; });  // two of four input channels
    add_mask("fc1", [](size_t i) { return i % 3 != 0; });
    const graph::Shape& map = test::node_of(graph, "lif_conv2").out;
    std::vector<uint8_t> neurons(static_cast<size_t>(map.values()));
    for (size_t i = 0; i < neurons.size(); ++i) neurons[i] = i % 3 != 0;
    file.tensors.push_back({"lif_conv2.mask", "U8", map.sizes(), neurons});

    const Json nm = train::to_json(
        {.kind = nm::Mask::Kind::kNm, .pattern = {.n = 2, .m = 4}, .share_taps = true});
    const Json any = train::to_json(train::kNeuronRule);
    rules = {{"conv2", nm}, {"fc1", any}, {"lif_conv2", any}};
    file.metadata = {{"format", "spikenm-model"},
                     {"version", "1"},
                     {"config", kConfig},
                     {"graph", graph::graph_to_json(graph).dump()}};
  }

  void add_values(const graph::TensorShape& tensor) {
    const int64_t size =
        std::accumulate(tensor.sizes.begin(), tensor.sizes.end(), int64_t{1}, std::multiplies<>());
    std::vector<float>& own = values[tensor.name];
    for (int64_t i = 0; i < size; ++i)
      own.push_back(1.5f + std::sin(static_cast<float>(i) + static_cast<float>(values.size())));
    file.tensors.push_back({tensor.name, "F32", tensor.sizes, bytes_of(own)});
  }

  StoredTensor& tensor(const std::string& name) {
    for (StoredTensor& t : file.tensors)
      if (t.name == name) return t;
    throw std::runtime_error("no tensor " + name);
  }

  template <class Keeps>
  void add_mask(const std::string& layer, Keeps&& keeps) {
    StoredTensor& weight = tensor(layer + ".weight");
    std::vector<float>& own = values[layer + ".weight"];
    std::vector<uint8_t> keep(own.size());
    for (size_t i = 0; i < keep.size(); ++i) {
      keep[i] = keeps(i);
      if (keep[i] == 0) own[i] = 0;
    }
    weight.bytes = bytes_of(own);
    const std::vector<int64_t> shape = weight.shape;
    file.tensors.push_back({layer + ".mask", "U8", shape, keep});
  }

  // The file on the disk, in a run folder.
  std::filesystem::path written() {
    if (!rules.is_null()) file.metadata["masks"] = rules.dump();
    const std::filesystem::path path = dir.path() / RunDir::kModel;
    write_safetensors(path, file);
    return path;
  }

  test::TempDir dir;
  graph::Graph graph;
  SafetensorsFile file;
  Json rules;
  std::map<std::string, std::vector<float>> values;
};

TEST_F(TrainedFiles, HoldWhatTheyWereGiven) {
  written();
  const TrainedFile found = read_trained(dir.path());
  EXPECT_TRUE(found.has_rules);
  EXPECT_TRUE(found.notes.empty());
  const Trained& trained = found.trained;
  EXPECT_EQ(trained.tensors, values);
  EXPECT_EQ(trained.steps, 3);
  EXPECT_EQ(trained.seed, 7u);
  EXPECT_EQ(trained.data + " " + trained.method, "n-mnist magnitude");
  EXPECT_TRUE(trained.input.events);
  EXPECT_TRUE(trained.input.mean.empty());
  EXPECT_EQ(graph::graph_to_json(trained.graph).dump(), graph::graph_to_json(graph).dump());
  ASSERT_EQ(trained.masks.size(), 2u);
  const nm::Mask& conv2 = trained.masks.at(*graph.find("conv2"));
  EXPECT_EQ(conv2.keep, tensor("conv2.mask").bytes);
  EXPECT_EQ(conv2.layout.taps, 9);
  EXPECT_EQ(trained.masks.at(*graph.find("fc1")).kind, nm::Mask::Kind::kUnstructured);
  EXPECT_EQ(trained.neuron_masks.at(*graph.find("lif_conv2")), tensor("lif_conv2.mask").bytes);
}

// The weights come back out of the packed file, which a runtime loads.
TEST_F(TrainedFiles, ArePackedWithTheirMasksAndHistory) {
  const std::filesystem::path path = written();
  write_file_atomically(dir.path() / RunDir::kResult,
                        R"({"test_accuracy": 90.5, "firing_rate": {"lif_conv1": 0.25}})");
  const runtime::StoredModel packed = pack_file(dir.path(), runtime::WeightType::kFloat).model;
  EXPECT_EQ(packed.provenance["test_accuracy"], 90.5);
  EXPECT_EQ(packed.rates.at(*graph.find("lif_conv1")), 0.25);
  EXPECT_TRUE(packed.input.frames_by_time);
  for (const auto& [id, tensor] : packed.synapses)
    EXPECT_EQ(runtime::unpack_floats(tensor), values.at(graph.node(id).name + ".weight"));
  const runtime::SynapseTensor& conv2 = packed.synapses.at(*graph.find("conv2"));
  ASSERT_TRUE(conv2.rule.has_value());
  EXPECT_TRUE(conv2.rule->share_taps);
  EXPECT_TRUE(packed.synapses.at(*graph.find("fc1")).as_bits);

  const runtime::StoredModel small = pack_file(path, runtime::WeightType::kInt8).model;
  runtime::write_snm(dir / "m.snm", small);
  EXPECT_EQ(runtime::Model::load(dir / "m.snm")->classes(), 10);
}

// So did programs write them that did not say the rules.
TEST_F(TrainedFiles, WithoutRulesAreReadButNotPacked) {
  rules = nullptr;
  const std::filesystem::path path = written();
  const TrainedFile found = read_trained(path);
  EXPECT_FALSE(found.has_rules);
  EXPECT_EQ(found.trained.masks.size(), 2u);
  EXPECT_EQ(found.trained.neuron_masks.size(), 1u);
  EXPECT_ERROR(pack_file(path, runtime::WeightType::kInt8),
               "model.safetensors: found masks without", "spikenm export");

  file.tensors.push_back({"bn_conv1.mask", "U8", {4}, {1, 1, 0, 1}});  // a norm has none
  write_safetensors(path, file);
  EXPECT_ERROR(read_trained(path), "'bn_conv1.mask': nothing in its network reads it");
  std::erase_if(file.tensors, [](const StoredTensor& t) { return t.name.ends_with(".mask"); });
  write_safetensors(path, file);
  EXPECT_TRUE(read_trained(path).has_rules);  // none is missing
  EXPECT_NO_THROW(pack_file(path, runtime::WeightType::kInt8));
}

TEST_F(TrainedFiles, OfImagesSayHowPixelsAreNormalised) {
  const auto set = [&](const std::string& data) {
    file.metadata["config"] = "[data]\nname = 'mnist'\nroot = 'nowhere'\n" + data;
    return read_trained(written()).trained.input;
  };
  EXPECT_FALSE(set("").events);
  EXPECT_EQ(set("").mean, std::vector<double>{0.1307});
  EXPECT_EQ(set("mean = [0.5]\nstd = [0.25]\n").std, std::vector<double>{0.25});
  EXPECT_TRUE(set("normalize = false\n").mean.empty());
  EXPECT_ERROR(set("mean = [0.5, 1.0]\n"), "model.safetensors (config): data.mean", "found 2");
}

TEST_F(TrainedFiles, RulesOfLayersThatAreNotThereAreRefused) {
  const Json all = rules;
  const auto expect = [&](const char* layer, const Json& rule, const char* said) {
    rules = all;
    rules[layer] = rule;
    EXPECT_ERROR(read_trained(written()), "model.safetensors (masks)", layer, said);
  };
  expect("conv9", all["fc1"], "its network has no such layer");
  expect("bn_conv1", all["fc1"], "its network has no such layer");
  expect("lif_conv2", all["conv2"], "its network has no such layer");  // neurons have no blocks
  expect("fc1", {{"rule", "2:4"}, {"axis", "flat"}, {"share", 1}, {"share_taps", true}}, "axis in");
}

}  // namespace
}  // namespace spikenm::deploy
