#include "spikenm/train/model_file.h"

#include "spikenm/core/run_dir.h"
#include "spikenm/core/safetensors.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include <cstring>

namespace spikenm::train {
namespace {

constexpr const char* kFormat = "spikenm-model";
constexpr const char* kVersion = "1";

StoredTensor store(const std::string& name, const at::Tensor& t, const char* dtype) {
  const at::Tensor flat = t.detach().cpu().contiguous();
  const auto* bytes = static_cast<const uint8_t*>(flat.const_data_ptr());
  return {.name = name,
          .dtype = dtype,
          .shape = flat.sizes().vec(),
          .bytes = std::vector<uint8_t>(bytes, bytes + flat.nbytes())};
}

const StoredTensor& find_tensor(const SafetensorsFile& file, const std::string& name,
                                const char* dtype, at::IntArrayRef shape,
                                const std::string& source) {
  const StoredTensor* stored = file.find(name);
  SPIKENM_CHECK(stored != nullptr, "{}: found no tensor '{}'", source, name);
  SPIKENM_CHECK(stored->dtype == dtype && stored->shape == shape.vec(),
                "{}: tensor '{}': found {} [{}], wanted {} [{}]", source, name, stored->dtype,
                fmt::join(stored->shape, ","), dtype, fmt::join(shape.vec(), ","));
  return *stored;
}

void load_into(const SafetensorsFile& file, const nn::NamedTensor& target,
               const std::string& source) {
  const at::NoGradGuard no_grad;
  const StoredTensor& stored = find_tensor(file, target.name, "F32", target.tensor.sizes(), source);
  at::Tensor values = at::empty(target.tensor.sizes(), at::kFloat);
  std::memcpy(values.mutable_data_ptr(), stored.bytes.data(), stored.bytes.size());
  at::Tensor(target.tensor).copy_(values);
  SPIKENM_CHECK(target.tensor.isfinite().all().item<bool>(),
                "{}: tensor '{}': found a value that is not finite", source, target.name);
}

void check_bits(const std::vector<uint8_t>& bits, const std::string& name,
                const std::string& source) {
  for (const uint8_t bit : bits)
    SPIKENM_CHECK(bit <= 1, "{}: tensor '{}': found {}, wanted 0 or 1", source, name, bit);
}

sparsity::LayerMask load_mask(const SafetensorsFile& file, const sparsity::MaskableLayer& layer,
                              const std::string& source) {
  const nn::Synapse& synapse = *layer.synapse;
  const std::string name = synapse.name + ".mask";
  const StoredTensor& stored = find_tensor(file, name, "U8", synapse.weight.sizes(), source);
  nm::Mask mask{.kind = nm::Mask::Kind::kNm,
                .pattern = layer.pattern,
                .layout = layer.layout,
                .keep = stored.bytes};
  check_bits(mask.keep, name, source);
  const nm::MaskAudit found = nm::audit(mask);
  SPIKENM_CHECK(found.valid(), "{}: tensor '{}': {} of {} blocks break the pattern {}", source,
                name, found.violating_blocks + found.unshared_blocks, found.blocks,
                layer.pattern.text());
  sparsity::LayerMask result = sparsity::make_layer_mask(*layer.synapse, std::move(mask));
  SPIKENM_CHECK(result.keep.ne(0).logical_or(synapse.weight.detach().eq(0)).all().item<bool>(),
                "{}: tensor '{}.weight': found a weight that its mask drops", source, synapse.name);
  return result;
}

sparsity::NeuronMask load_mask(const SafetensorsFile& file,
                               const sparsity::MaskableNeurons& neurons, const at::Device& device,
                               const std::string& source) {
  const std::string name = neurons.neuron->name + ".mask";
  const StoredTensor& stored = find_tensor(file, name, "U8", neurons.shape, source);
  check_bits(stored.bytes, name, source);
  at::Tensor keep = at::empty(neurons.shape, at::kByte);
  std::memcpy(keep.mutable_data_ptr(), stored.bytes.data(), stored.bytes.size());
  return {.neuron = neurons.neuron, .keep = keep.to(device, at::kFloat)};
}

}  // namespace

void save_model(const std::filesystem::path& path, const nn::Network& network,
                const sparsity::Masks& masks, const std::string& config_toml) {
  SafetensorsFile file;
  file.metadata = {{"format", kFormat}, {"version", kVersion}, {"config", config_toml}};
  for (const nn::NamedTensor& p : network.parameters())
    file.tensors.push_back(store(p.name, p.tensor, "F32"));
  for (const nn::NamedTensor& b : network.buffers())
    file.tensors.push_back(store(b.name, b.tensor, "F32"));
  for (const sparsity::LayerMask& m : masks.weights)
    file.tensors.push_back(store(m.synapse->name + ".mask", m.keep.to(at::kByte), "U8"));
  for (const sparsity::NeuronMask& m : masks.neurons)
    file.tensors.push_back(store(m.neuron->name + ".mask", m.keep.to(at::kByte), "U8"));
  write_safetensors(path, file);
}

LoadedModel load_model(const std::filesystem::path& given,
                       const std::vector<std::string>& overrides) {
  const std::filesystem::path path =
      std::filesystem::is_directory(given) ? given / RunDir::kModel : given;
  const std::string source = path.string();
  const SafetensorsFile file = read_safetensors(path);
  const auto value = [&](const char* key) {
    const auto it = file.metadata.find(key);
    return it == file.metadata.end() ? std::string() : it->second;
  };
  SPIKENM_CHECK(value("format") == kFormat && value("version") == kVersion,
                "{}: found format '{}' version '{}', wanted {} version {}", source, value("format"),
                value("version"), kFormat, kVersion);
  Config config = Config::from_resolved(value("config"), source + " (config)");
  for (const std::string& assignment : overrides) config.override_with(assignment);
  LoadedModel model{.recipe = read_recipe(config), .masks = {}};
  const nn::Network& network = *model.recipe.model.network;
  for (const nn::NamedTensor& p : network.parameters()) load_into(file, p, source);
  for (const nn::NamedTensor& b : network.buffers()) load_into(file, b, source);
  for (const sparsity::MaskableLayer& layer : model.recipe.model.method->layers())
    model.masks.weights.push_back(load_mask(file, layer, source));
  for (const sparsity::MaskableNeurons& neurons : model.recipe.model.method->neurons())
    model.masks.neurons.push_back(load_mask(file, neurons, network.device(), source));
  return model;
}

}  // namespace spikenm::train
