#include "spikenm/train/model_file.h"

#include "spikenm/core/say.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/train/map_memory.h"
#include "spikenm/train/model_input.h"
#include "spikenm/train/stored_config.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstring>

namespace spikenm::train {
namespace {

std::span<const float> values_of(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<float>(), static_cast<size_t>(tensor.numel())};
}

void load_into(ModelInput& file, const nn::NamedTensor& target) {
  const at::NoGradGuard no_grad;
  const std::vector<int64_t> shape = target.tensor.sizes().vec();
  at::Tensor values = at::empty(shape, at::kFloat);
  file.read(target.name, shape,
            {values.mutable_data_ptr<float>(), static_cast<size_t>(values.numel())});
  at::Tensor(target.tensor).copy_(values);
}

void load_network(ModelInput& file, const nn::Network& network) {
  for (const nn::NamedTensor& p : network.parameters()) load_into(file, p);
  for (const nn::NamedTensor& b : network.buffers()) load_into(file, b);
}

sparsity::LayerMask load_mask(ModelInput& file, const sparsity::MaskableLayer& layer) {
  nn::Synapse& synapse = *layer.synapse;
  nm::Mask mask{.kind = layer.rule, .pattern = layer.pattern, .layout = layer.layout, .keep = {}};
  const at::Tensor weight = synapse.weight.detach().cpu().contiguous();
  file.read_mask(synapse.name, synapse.shape(), values_of(weight), mask);
  return sparsity::make_layer_mask(synapse, std::move(mask));
}

sparsity::NeuronMask load_mask(ModelInput& file, const sparsity::MaskableNeurons& neurons,
                               const at::Device& device) {
  const std::vector<uint8_t> bits = file.read_neuron_mask(neurons.neuron->name, neurons.shape);
  at::Tensor keep = at::empty(neurons.shape, at::kByte);
  std::memcpy(keep.mutable_data_ptr(), bits.data(), bits.size());
  return {.neuron = neurons.neuron, .keep = keep.to(device, at::kFloat)};
}

// The rules of the masks that the method makes.
MaskRules rules_of(const sparsity::Pruning& method) {
  MaskRules rules;
  for (const sparsity::MaskableLayer& layer : method.layers())
    rules.emplace(layer.synapse->name,
                  nm::rule_of(layer.rule, layer.pattern, layer.layout, layer.synapse->shape()));
  for (const sparsity::MaskableNeurons& neurons : method.neurons())
    rules.emplace(neurons.neuron->name, kNeuronRule);
  return rules;
}

// What the file says of its masks must be what its config makes.
void check_rules(const MaskRules& stored, const MaskRules& made, const std::string& source) {
  const auto text = [](const MaskRules& rules, const std::string& layer) {
    const auto found = rules.find(layer);
    return found == rules.end() ? "none" : found->second.text();
  };
  for (const MaskRules* const rules : {&made, &stored})
    for (const auto& [layer, rule] : *rules)
      SPIKENM_CHECK(text(stored, layer) == text(made, layer),
                    "{} (masks): {}: found the rule {}, wanted {}, which its config makes", source,
                    printable(layer), text(stored, layer), text(made, layer));
}

LoadedModel read_stored(const Config& config, const graph::Graph& graph, Purpose purpose,
                        const std::string& source) {
  LoadedModel model;
  if (purpose == Purpose::kDescribe) {
    model.recipe.model = naming_config(source, [&] { return read_model(config, graph, purpose); });
    return model;
  }

  model.recipe = naming_config(
      source, [&] { return read_recipe(config, {.purpose = purpose, .graph = &graph}); });
  const data::DatasetInfo& info = model.recipe.model.dataset->info();
  graph::check_fits(graph, {info.channels, info.height, info.width},
                    static_cast<size_t>(info.classes), source);
  graph::check_class_names(graph, info.class_names, source);
  return model;
}

}  // namespace

TensorFile model_content(const nn::Network& network, const sparsity::Masks& masks,
                         const std::string& config_toml, const Metadata& more) {
  TensorFile file;
  file.tensors = network.parameters();
  for (const nn::NamedTensor& b : network.buffers()) file.tensors.push_back(b);

  Json rules = Json::object();
  for (const sparsity::LayerMask& m : masks.weights) {
    file.tensors.push_back({m.synapse->name + ".mask", m.bits});
    rules[m.synapse->name] =
        to_json(nm::rule_of(m.mask.kind, m.mask.pattern, m.mask.layout, m.synapse->shape()));
  }
  for (const sparsity::NeuronMask& m : masks.neurons) {
    file.tensors.push_back({m.neuron->name + ".mask", m.keep.to(at::kByte)});
    rules[m.neuron->name] = to_json(kNeuronRule);
  }

  file.metadata = {{"format", kModelFormat},
                   {"version", kModelVersion},
                   {"config", config_toml},
                   {"graph", graph::graph_to_json(network.graph()).dump()},
                   {"masks", rules.dump()}};
  file.metadata.insert(more.begin(), more.end());
  return file;
}

void save_model(const std::filesystem::path& path, const nn::Network& network,
                const sparsity::Masks& masks, const std::string& config_toml) {
  write_tensor_file(path, model_content(network, masks, config_toml));
}

void load_tensors(const std::filesystem::path& path, nn::Network& network) {
  ModelInput file(path);
  load_network(file, network);
}

LoadedModel load_model(const std::filesystem::path& given,
                       const std::vector<std::string>& overrides, Purpose purpose) {
  ModelInput file(given);
  std::vector<std::string> notes;
  const Config config = file.config(overrides, notes);
  const graph::Graph graph = file.graph();
  file.check_shapes(graph);

  LoadedModel model = read_stored(config, graph, purpose, file.source());
  ModelRecipe& recipe = model.recipe.model;
  if (purpose == Purpose::kEvaluate && recipe.device.device.is_cpu()) {
    const int64_t batch =
        std::min(model.recipe.train.batch_size, recipe.dataset->size(data::Part::kTest));
    check_map_memory(recipe.network->graph(), recipe.T * batch, file.source(),
                     "a smaller train.batch_size needs less");
  }

  load_network(file, *recipe.network);
  if (const std::optional<MaskRules> stored = file.mask_rules())
    check_rules(*stored, rules_of(*recipe.method), file.source());
  for (const sparsity::MaskableLayer& layer : recipe.method->layers())
    model.masks.weights.push_back(load_mask(file, layer));
  for (const sparsity::MaskableNeurons& neurons : recipe.method->neurons())
    model.masks.neurons.push_back(load_mask(file, neurons, recipe.network->device()));

  file.reject_unread();
  model.recipe.notes.insert(model.recipe.notes.end(), notes.begin(), notes.end());
  return model;
}

}  // namespace spikenm::train
