#include "spikenm/deploy/trained_file.h"

#include "spikenm/core/error.h"
#include "spikenm/core/say.h"
#include "spikenm/data/data_keys.h"
#include "spikenm/data/open.h"
#include "spikenm/deploy/history.h"
#include "spikenm/graph/tensors.h"
#include "spikenm/sparsity/method_keys.h"
#include "spikenm/train/config_graph.h"
#include "spikenm/train/model_input.h"
#include "spikenm/train/recipe_keys.h"
#include "spikenm/train/stored_config.h"

#include <numeric>

namespace spikenm::deploy {
namespace {

using graph::NodeId;
using train::ModelInput;

void read_config(const Config& config, Trained& trained) {
  trained.seed = static_cast<uint64_t>(train::kSeed.read(config));
  trained.steps = train::kT.read(config.section("model"));
  trained.method = sparsity::kMethodName.read(config.section("method"));
  const Config data = config.section("data");
  trained.data = data::kDataName.read(data);
  const data::DatasetInfo info = train::describe_data(config)->info();
  const data::Pipelines pipelines = data::read_pipelines(data, info);
  trained.input.events = info.frames > 0;
  trained.input.mean = pipelines.test.mean;
  trained.input.std = pipelines.test.std;
}

void read_tensors(ModelInput& file, Trained& trained) {
  for (const graph::TensorShape& tensor : graph::tensors(trained.graph)) {
    const int64_t size =
        std::accumulate(tensor.sizes.begin(), tensor.sizes.end(), int64_t{1}, std::multiplies<>());
    std::vector<float>& values = trained.tensors[tensor.name];
    values.resize(static_cast<size_t>(size));
    file.read(tensor.name, tensor.sizes, values);
  }
}

// Of a file that does not say its rules: whatever its masks keep. Only weights and neurons have one;
// that of another layer is a tensor that nothing reads.
train::MaskRules unknown_rules(const ModelInput& file, const graph::Graph& graph) {
  train::MaskRules rules;
  for (const graph::Node& node : graph.nodes()) {
    const bool may_have_one =
        node.as<graph::Synapse>() != nullptr || node.as<graph::Neuron>() != nullptr;
    if (may_have_one && file.has_mask(node.name))
      rules.emplace(node.name, nm::MaskRule{.kind = nm::Mask::Kind::kUnstructured, .pattern = {}});
  }
  return rules;
}

void read_mask(ModelInput& file, NodeId id, const nm::MaskRule& rule, Trained& trained) {
  const graph::Node& node = trained.graph.node(id);
  if (const auto* const synapse = node.as<graph::Synapse>()) {
    nm::Mask mask =
        nm::mask_of(rule, synapse->shape, fmt::format("{} (masks): {}", file.source(), node.name));
    file.read_mask(node.name, synapse->shape, trained.tensors.at(node.name + ".weight"), mask);
    trained.masks.emplace(id, std::move(mask));
  } else {
    trained.neuron_masks.emplace(id, file.read_neuron_mask(node.name, node.out.sizes()));
  }
}

void read_masks(ModelInput& file, const train::MaskRules& rules, Trained& trained) {
  const graph::Graph& graph = trained.graph;
  for (const auto& [layer, rule] : rules) {
    const auto id = graph.find(layer);
    const bool has_bits =
        id && (graph.node(*id).as<graph::Synapse>() != nullptr ||
               (graph.node(*id).as<graph::Neuron>() != nullptr && rule == train::kNeuronRule));
    SPIKENM_CHECK(has_bits, "{} (masks): {}: found the rule {}, and its network has no such layer",
                  file.source(), printable(layer), rule.text());
  }
  // In forward order, so that the first of several faults is the one that the trainer names.
  for (const bool neurons : {false, true})
    for (NodeId id = 0; id < graph.nodes().size(); ++id) {
      const auto rule = rules.find(graph.node(id).name);
      if (rule != rules.end() && (graph.node(id).as<graph::Neuron>() != nullptr) == neurons)
        read_mask(file, id, rule->second, trained);
    }
}

TrainedFile read(ModelInput& file) {
  std::vector<std::string> notes;
  const Config config = file.config({}, notes);
  TrainedFile found{.trained = {.graph = file.graph()}};
  file.check_shapes(found.trained.graph);
  train::naming_config(file.source(), [&] { read_config(config, found.trained); });
  read_tensors(file, found.trained);

  const std::optional<train::MaskRules> rules = file.mask_rules();
  read_masks(file, rules ? *rules : unknown_rules(file, found.trained.graph), found.trained);
  found.has_rules = rules || found.trained.masks.empty();
  file.reject_unread();
  found.notes = std::move(notes);
  return found;
}

}  // namespace

TrainedFile read_trained(const std::filesystem::path& path) {
  ModelInput file(path);
  return read(file);
}

PackedFile pack_file(const std::filesystem::path& path, runtime::WeightType type) {
  ModelInput file(path);
  TrainedFile found = read(file);
  SPIKENM_CHECK(found.has_rules,
                "{}: found masks without their rules, which older programs did not write; wanted "
                "the rule of each: 'spikenm export' knows it and packs this file",
                path.string());
  PackedFile packed{.model = pack(found.trained, type), .notes = std::move(found.notes)};
  add_history(file, packed.model);
  return packed;
}

}  // namespace spikenm::deploy
