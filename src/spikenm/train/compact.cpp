#include "spikenm/train/compact.h"

#include "spikenm/core/run_dir.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/graph/walks.h"
#include "spikenm/train/measure.h"
#include "spikenm/train/versions.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <map>
#include <numeric>

namespace spikenm::train {
namespace {

using graph::NodeId;
using Channels = std::vector<int64_t>;  // that are kept, by their numbers in the whole network

Channels all_of(int64_t n) {
  Channels channels(static_cast<size_t>(n));
  std::iota(channels.begin(), channels.end(), 0);
  return channels;
}

Channels kept_of(const sparsity::NeuronMask& mask, const std::string& source) {
  const at::Tensor places =
      mask.keep.cpu().ne(0).flatten().view({mask.keep.size(0), -1});  // [C,HW]
  const at::Tensor kept = places.all(1);
  SPIKENM_CHECK(at::equal(kept, places.any(1)),
                "{}: {}: found channels of which some neurons are kept, wanted all or none", source,
                mask.neuron->name);
  Channels channels;
  for (int64_t c = 0; c < kept.numel(); ++c)
    if (kept[c].item<bool>()) channels.push_back(c);
  return channels;
}

// Walks the graph once: which channels of every node stay.
class KeptChannels {
 public:
  KeptChannels(const LoadedModel& model, const std::string& source)
      : graph_(model.recipe.model.network->graph()),
        readers_(graph::readers(graph_)),
        source_(source) {
    for (const sparsity::NeuronMask& mask : model.masks.neurons)
      neurons_[mask.neuron->node] = kept_of(mask, source);
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) kept_.push_back(channels_of(id));
  }

  [[nodiscard]] const Channels& of(NodeId id) const { return kept_[id]; }
  [[nodiscard]] const Channels& input_of(NodeId id) const {
    return kept_[graph_.node(id).inputs[0]];
  }

 private:
  Channels channels_of(NodeId id) {
    const graph::Node& node = graph_.node(id);
    if (const auto* synapse = node.as<graph::Synapse>()) {
      const auto neuron = graph::driven_neurons(graph_, readers_, id);
      const auto masked = neuron ? neurons_.find(*neuron) : neurons_.end();
      return masked == neurons_.end() ? all_of(synapse->shape.cout) : masked->second;
    }
    if (node.as<graph::Input>() != nullptr || node.as<graph::Vote>() != nullptr)
      return all_of(node.out.channels);
    for (const NodeId input : node.inputs)
      SPIKENM_CHECK(kept_[input] == kept_[node.inputs[0]],
                    "{}: {}: adds up neurons that keep different channels, so none of them can be "
                    "removed",
                    source_, node.name);
    if (node.as<graph::Flatten>() == nullptr) return kept_[node.inputs[0]];

    const graph::Shape& map = graph_.input_of(node).out;
    Channels flat;
    for (const int64_t c : kept_[node.inputs[0]])
      for (int64_t place = 0; place < map.height * map.width; ++place)
        flat.push_back(c * map.height * map.width + place);
    return flat;
  }

  const graph::Graph& graph_;
  graph::Readers readers_;
  std::string source_;
  std::map<NodeId, Channels> neurons_;  // masked ones
  std::vector<Channels> kept_;          // by node
};

graph::Graph smaller_graph(const graph::Graph& whole, const KeptChannels& kept) {
  graph::Graph small(whole.name(), whole.frame(), whole.classes());
  for (NodeId id = 1; id < whole.nodes().size(); ++id) {
    graph::Node node = whole.node(id);
    if (auto* synapse = std::get_if<graph::Synapse>(&node.operation)) {
      synapse->shape.cout = static_cast<int64_t>(kept.of(id).size());
      synapse->shape.cin = static_cast<int64_t>(kept.input_of(id).size());
    }
    small.add(node.name, node.operation, node.inputs);
  }
  small.finish();
  return small;
}

void copy_part(const at::Tensor& to, const at::Tensor& from, const Channels& channels) {
  if (to.defined()) to.copy_(from.cpu().index_select(0, at::tensor(channels)));
}

void copy_tensors(nn::Network& whole, nn::Network& small, const KeptChannels& kept) {
  const at::NoGradGuard no_grad;
  for (nn::Synapse& to : small.synapses()) {
    const nn::Synapse& from = whole.synapse(to.node);
    to.weight.copy_(from.weight.cpu()
                        .index_select(0, at::tensor(kept.of(to.node)))
                        .index_select(1, at::tensor(kept.input_of(to.node))));
    copy_part(to.bias, from.bias, kept.of(to.node));
  }
  for (NodeId id = 0; id < small.graph().nodes().size(); ++id) {
    if (small.graph().node(id).as<graph::Norm>() == nullptr) continue;
    const ops::BatchNormState &to = small.norm(id).state, &from = whole.norm(id).state;
    copy_part(to.gamma, from.gamma, kept.of(id));
    copy_part(to.beta, from.beta, kept.of(id));
    copy_part(to.running_mean, from.running_mean, kept.of(id));
    copy_part(to.running_var, from.running_var, kept.of(id));
  }
  for (nn::Neuron& to : small.neurons())
    if (to.leak_logit.defined()) to.leak_logit.copy_(whole.neuron(to.node).leak_logit.cpu());
}

int64_t count_weights(const nn::Network& network) {
  int64_t sum = 0;
  for (const nn::Synapse& s : network.synapses()) sum += s.weight.numel();
  return sum;
}

// The config that the model was trained with, for the graph beside it and without a mask.
std::string dense_config(const std::filesystem::path& file, const graph::Graph& graph) {
  const SafetensorsInput input(file);
  const auto stored = input.header().metadata.find("config");
  Config config = Config::from_resolved(stored->second, file.string() + " (config)");
  config.drop("method");
  config.override_with("method.name=dense");
  static_cast<void>(read_recipe(config, {.purpose = Purpose::kDescribe, .graph = &graph}));
  // A graph that is given hides [model]: its name is added where a reader of the folder looks for it.
  std::string text = config.resolved_toml();
  const std::string section = "[model]\n";
  const size_t place = text.find(section);
  SPIKENM_ASSERT(place != std::string::npos);
  return text.insert(place + section.size(), fmt::format("file = \"{}\"\n", RunDir::kGraph));
}

// As that of a training: which run it was, and what was measured of the smaller network.
Json result_of(const LoadedModel& whole, LoadedModel& small, const std::filesystem::path& from) {
  Json result = {{"method", whole.recipe.model.method_name},
                 {"pattern", "dense"},
                 {"compacted_from", from.string()},
                 {"data", whole.recipe.model.data_name},
                 {"model", whole.recipe.model.model_name},
                 {"T", whole.recipe.model.T},
                 {"device", small.recipe.model.network->device().str()},
                 {"precision", small.recipe.model.device.precision},
                 {"seed", whole.recipe.model.seed},
                 {"versions", versions()}};
  result.update(measure(small.recipe, small.masks));
  return result;
}

}  // namespace

std::unique_ptr<nn::Network> compact_network(const LoadedModel& model, const std::string& source) {
  for (const sparsity::LayerMask& m : model.masks.weights)
    SPIKENM_CHECK(m.mask.kind == nm::Mask::Kind::kChannel,
                  "{}: {}: found a mask of rule {}, wanted channel: only whole channels can be "
                  "removed",
                  source, m.synapse->name, nm::rule_text(m.mask.kind, m.mask.pattern));
  SPIKENM_CHECK(!model.masks.weights.empty(), "{}: has no masks, so there is nothing to remove",
                source);
  nn::Network& whole = *model.recipe.model.network;
  const KeptChannels kept(model, source);
  auto small = std::make_unique<nn::Network>(smaller_graph(whole.graph(), kept));
  copy_tensors(whole, *small, kept);
  return small;
}

CompactedRun compact_run(const std::filesystem::path& from, const std::filesystem::path& to,
                         const std::vector<std::string>& overrides, bool measures) {
  std::error_code error;
  const std::filesystem::path file =
      std::filesystem::is_directory(from, error) ? from / RunDir::kModel : from;
  const LoadedModel model =
      load_model(file, overrides, measures ? Purpose::kEvaluate : Purpose::kDescribe);
  const auto small = compact_network(model, file.string());
  const std::string config = dense_config(file, small->graph());
  const RunDir run = RunDir::create(to, /*force=*/false);
  run.write_config(config);
  run.write(RunDir::kGraph, graph::to_toml(small->graph()));
  save_model(run.file(RunDir::kModel), *small, {}, config);
  if (measures) {
    LoadedModel written = load_model(run.file(RunDir::kModel), overrides);
    run.write(RunDir::kResult, result_of(model, written, from).dump(2) + "\n");
  }
  return {.weights_before = count_weights(*model.recipe.model.network),
          .weights = count_weights(*small)};
}

}  // namespace spikenm::train
