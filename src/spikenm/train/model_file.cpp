#include "spikenm/train/model_file.h"

#include "spikenm/core/json_text.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/core/say.h"
#include "spikenm/data/data_keys.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/graph/walks.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace spikenm::train {
namespace {

constexpr const char* kFormat = "spikenm-model";
constexpr const char* kVersion = "1";

// The tensors of a model file; each must have the shape that its reader expects. Records which were
// read.
class ModelTensors {
 public:
  ModelTensors(const SafetensorsInput& file, std::string source)
      : file_(file), source_(std::move(source)) {}

  [[nodiscard]] const std::string& source() const { return source_; }

  const StoredTensor& find(const std::string& name, const char* dtype, at::IntArrayRef shape) {
    const StoredTensor& stored = find_tensor(file_, name, dtype, shape, source_);
    read_.insert(name);
    return stored;
  }

  [[nodiscard]] std::vector<uint8_t> bytes(const StoredTensor& tensor) const {
    return file_.bytes(tensor);
  }
  [[nodiscard]] at::Tensor read(const StoredTensor& tensor, at::ScalarType type) const {
    return read_tensor(file_, tensor, type);
  }

  void reject_unread() const {
    for (const StoredTensor& tensor : file_.header().tensors)
      SPIKENM_CHECK(read_.contains(tensor.name), "{}: tensor '{}': nothing in its network reads it",
                    source_, printable(tensor.name));
  }

 private:
  const SafetensorsInput& file_;
  std::string source_;
  std::set<std::string> read_;
};

// The largest map may take half of the memory: the map that the next layer makes of it needs room
// too.
void check_memory(const graph::Graph& graph, int64_t maps, const std::string& source,
                  std::string_view remedy) {
  const graph::Node& largest = graph.node(graph::largest_map(graph));
  const double machine =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double wanted = 4.0 * static_cast<double>(largest.out.values()) * static_cast<double>(maps);
  SPIKENM_CHECK(wanted <= machine / 2,
                "{}: {} would take {:.3g} GB, wanted at most half of this machine's {:.3g} GB; {}",
                source, largest.name, wanted / 1e9, machine / 1e9, remedy);
}

// A file of a few bytes may ask for a network of any size, so it must hold that network's tensors.
void check_shapes(ModelTensors& tensors, nn::Network& network) {
  for (const nn::NamedTensor& p : network.parameters())
    tensors.find(p.name, "F32", p.tensor.sizes());
  for (const nn::NamedTensor& b : network.buffers()) tensors.find(b.name, "F32", b.tensor.sizes());
  // Counting connections needs two maps.
  check_memory(network.graph(), 2, tensors.source(), "its frames are of that size");
}

void load_into(ModelTensors& tensors, const nn::NamedTensor& target) {
  const at::NoGradGuard no_grad;
  const StoredTensor& stored = tensors.find(target.name, "F32", target.tensor.sizes());
  const at::Tensor values = tensors.read(stored, at::kFloat);
  check_trained_values(target.name, values, tensors.source());
  at::Tensor(target.tensor).copy_(values);
}

void check_bits(const std::vector<uint8_t>& bits, const std::string& name,
                const std::string& source) {
  for (const uint8_t bit : bits)
    SPIKENM_CHECK(bit <= 1, "{}: tensor '{}': found {}, wanted 0 or 1", source, name, bit);
}

sparsity::LayerMask load_mask(ModelTensors& tensors, const sparsity::MaskableLayer& layer) {
  const nn::Synapse& synapse = *layer.synapse;
  const std::string name = synapse.name + ".mask";
  const StoredTensor& stored = tensors.find(name, "U8", synapse.weight.sizes());
  nm::Mask mask{.kind = layer.rule,
                .pattern = layer.pattern,
                .layout = layer.layout,
                .keep = tensors.bytes(stored)};
  check_bits(mask.keep, name, tensors.source());

  const nm::MaskAudit found = nm::audit(mask);
  SPIKENM_CHECK(found.misplaced == 0, "{}: tensor '{}': {} of {} weights break the rule {}",
                tensors.source(), name, found.misplaced, found.weights, layer.rule_text());
  SPIKENM_CHECK(found.valid(), "{}: tensor '{}': {} of {} blocks break the pattern {}",
                tensors.source(), name, found.violating_blocks + found.unshared_blocks,
                found.blocks, layer.pattern.text());

  sparsity::LayerMask result = sparsity::make_layer_mask(*layer.synapse, std::move(mask));
  SPIKENM_CHECK(result.keep.ne(0).logical_or(synapse.weight.detach().eq(0)).all().item<bool>(),
                "{}: tensor '{}.weight': found a weight that its mask drops", tensors.source(),
                synapse.name);
  return result;
}

sparsity::NeuronMask load_mask(ModelTensors& tensors, const sparsity::MaskableNeurons& neurons,
                               const at::Device& device) {
  const std::string name = neurons.neuron->name + ".mask";
  const StoredTensor& stored = tensors.find(name, "U8", neurons.shape);
  const std::vector<uint8_t> bits = tensors.bytes(stored);
  check_bits(bits, name, tensors.source());
  at::Tensor keep = at::empty(neurons.shape, at::kByte);
  std::memcpy(keep.mutable_data_ptr(), bits.data(), bits.size());
  return {.neuron = neurons.neuron, .keep = keep.to(device, at::kFloat)};
}

// Whether an override changes nothing in a trained network.
bool only_trains(std::string_view assignment) {
  const std::string_view key = assignment.substr(0, assignment.find('='));
  if (key.starts_with("checkpoints.")) return true;
  if (key.starts_with("train.")) return key != "train.batch_size" && key != "train.loss";
  constexpr std::string_view kKeys[] = {"data.train_size", "data.val_fraction", "data.augment",
                                        "data.mixup", "data.cutmix"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

// Makes errors about the stored config name the file.
template <class Body>
auto naming_config(const std::string& source, Body&& read) {
  try {
    return read();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& e) {
    if (std::string_view(e.what()).find(source) != std::string_view::npos) throw;
    fail("{} (config): {}", source, e.what());
  }
}

// The stored config with the overrides. A model may say what it was trained on, but not where to
// write or how much of the machine to use. Its masks are already made, so no override may change
// the method.
Config stored_config(const std::string& text, const std::string& source,
                     const std::vector<std::string>& overrides, std::vector<std::string>& notes) {
  const std::string name = source + " (config)";
  Config config = Config::from_resolved(text, name);
  const std::string folder =
      data::kCacheDir.read(Config::from_resolved(text, name).section("data"));
  for (const char* key : {"data.cache_dir", "data.workers"}) config.drop(key);
  bool says_where = false;  // on the command line
  for (const std::string& assignment : overrides) {
    std::string key = assignment;  // quotes in a key do not matter
    std::erase(key, '"');
    SPIKENM_CHECK(!key.starts_with("method."),
                  "{}: found the override '{}', but its masks are made by its own method; wanted "
                  "overrides of data, train.batch_size or the device",
                  source, assignment);
    SPIKENM_CHECK(!only_trains(key),
                  "{}: found the override '{}', which only training reads; wanted overrides of "
                  "data, train.batch_size, train.loss or the device",
                  source, assignment);
    says_where = says_where || key.starts_with("data.cache=") || key.starts_with("data.cache_dir=");
    config.override_with(assignment);
  }

  if (!folder.empty() && !says_where) {
    config.override_with("data.cache=off");
    notes.push_back(
        fmt::format("{}: data.cache_dir '{}' is not used, since a model may not say "
                    "where to write; give it as an override to use it",
                    source, printable(folder)));
  }
  return config;
}

// A model file holds its network's graph. Files written before graphs describe it by a config.
graph::Graph stored_graph(const std::string& graph, const std::string& config,
                          const std::string& source) {
  if (!graph.empty()) {
    const std::string name = source + " (graph)";
    return graph::graph_from_json(parse_json_object(graph, name), name);
  }
  const Config described = Config::from_resolved(config, source + " (config)");
  SPIKENM_CHECK(!described.has("model.file"),
                "{}: found no graph beside a config that names one in a file", source);
  return naming_config(source, [&] { return graph_from_config(described); });
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
  return model;
}

}  // namespace

TensorFile model_content(const nn::Network& network, const sparsity::Masks& masks,
                         const std::string& config_toml, const Metadata& more) {
  TensorFile file;
  file.metadata = {{"format", kFormat},
                   {"version", kVersion},
                   {"config", config_toml},
                   {"graph", graph::graph_to_json(network.graph()).dump()}};
  file.metadata.insert(more.begin(), more.end());

  file.tensors = network.parameters();
  for (const nn::NamedTensor& b : network.buffers()) file.tensors.push_back(b);
  for (const sparsity::LayerMask& m : masks.weights)
    file.tensors.push_back({m.synapse->name + ".mask", m.keep.to(at::kByte)});
  for (const sparsity::NeuronMask& m : masks.neurons)
    file.tensors.push_back({m.neuron->name + ".mask", m.keep.to(at::kByte)});
  return file;
}

void save_model(const std::filesystem::path& path, const nn::Network& network,
                const sparsity::Masks& masks, const std::string& config_toml) {
  write_tensor_file(path, model_content(network, masks, config_toml));
}

void load_tensors(const std::filesystem::path& path, nn::Network& network) {
  const SafetensorsInput file(path);
  ModelTensors tensors(file, path.string());
  for (const nn::NamedTensor& p : network.parameters()) load_into(tensors, p);
  for (const nn::NamedTensor& b : network.buffers()) load_into(tensors, b);
}

LoadedModel load_model(const std::filesystem::path& given,
                       const std::vector<std::string>& overrides, Purpose purpose) {
  std::error_code error;  // reading reports what is wrong with a path
  const std::filesystem::path path =
      std::filesystem::is_directory(given, error) ? given / RunDir::kModel : given;
  const std::string source = path.string();
  const SafetensorsInput file(path);
  const auto value = [&](const char* key) {
    const auto& metadata = file.header().metadata;
    const auto it = metadata.find(key);
    return it == metadata.end() ? std::string() : it->second;
  };

  SPIKENM_CHECK(value("format") == kFormat && value("version") == kVersion,
                "{}: found format '{}' version '{}', wanted {} version {}", source, value("format"),
                value("version"), kFormat, kVersion);

  std::vector<std::string> notes;
  if (!file.has_checksum())
    notes.push_back(fmt::format("{}: has no checksum, so damage to it may go unseen", source));
  const Config config = stored_config(value("config"), source, overrides, notes);
  ModelTensors tensors(file, source);
  const graph::Graph graph = stored_graph(value("graph"), value("config"), source);
  nn::Network shapes(graph, /*seed=*/0, /*shapes_only=*/true);
  check_shapes(tensors, shapes);

  LoadedModel model = read_stored(config, graph, purpose, source);
  ModelRecipe& recipe = model.recipe.model;
  if (purpose == Purpose::kEvaluate && recipe.device.device.is_cpu()) {
    const int64_t batch =
        std::min(model.recipe.train.batch_size, recipe.dataset->size(data::Part::kTest));
    check_memory(recipe.network->graph(), recipe.T * batch, source,
                 "a smaller train.batch_size needs less");
  }

  for (const nn::NamedTensor& p : recipe.network->parameters()) load_into(tensors, p);
  for (const nn::NamedTensor& b : recipe.network->buffers()) load_into(tensors, b);
  for (const sparsity::MaskableLayer& layer : recipe.method->layers())
    model.masks.weights.push_back(load_mask(tensors, layer));
  for (const sparsity::MaskableNeurons& neurons : recipe.method->neurons())
    model.masks.neurons.push_back(load_mask(tensors, neurons, recipe.network->device()));

  tensors.reject_unread();
  model.recipe.notes.insert(model.recipe.notes.end(), notes.begin(), notes.end());
  return model;
}

}  // namespace spikenm::train
