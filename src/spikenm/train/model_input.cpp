#include "spikenm/train/model_input.h"

#include "spikenm/core/error.h"
#include "spikenm/core/json_text.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/say.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/graph/tensors.h"
#include "spikenm/train/config_graph.h"
#include "spikenm/train/map_memory.h"
#include "spikenm/train/stored_config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace spikenm::train {
namespace {

std::filesystem::path model_path(const std::filesystem::path& given) {
  std::error_code error;  // reading reports what is wrong with a path
  return std::filesystem::is_directory(given, error) ? given / RunDir::kModel : given;
}

}  // namespace

const StoredTensor& find_tensor(const SafetensorsInput& file, const std::string& name,
                                const char* dtype, const std::vector<int64_t>& shape,
                                const std::string& source) {
  const StoredTensor* const stored = file.header().find(name);
  SPIKENM_CHECK(stored != nullptr, "{}: found no tensor '{}'", source, name);
  SPIKENM_CHECK(stored->dtype == dtype && stored->shape == shape,
                "{}: tensor '{}': found {} [{}], wanted {} [{}]", source, name,
                printable(stored->dtype), fmt::join(stored->shape, ","), dtype,
                fmt::join(shape, ","));
  return *stored;
}

void check_trained_values(const std::string& name, std::span<const float> values,
                          const std::string& source) {
  SPIKENM_CHECK(
      std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }),
      "{}: tensor '{}': found a value that is not finite", source, name);
  SPIKENM_CHECK(
      !name.ends_with(".running_var") ||
          std::all_of(values.begin(), values.end(), [](float value) { return value >= 0; }),
      "{}: tensor '{}': found a negative variance", source, name);
}

ModelInput::ModelInput(const std::filesystem::path& given)
    : path_(model_path(given)), source_(path_.string()), file_(path_) {
  const std::string format = metadata("format"), version = metadata("version");
  SPIKENM_CHECK(format == kModelFormat && version == kModelVersion,
                "{}: found format '{}' version '{}', wanted {} version {}", source_, format,
                version, kModelFormat, kModelVersion);
}

std::string ModelInput::metadata(const char* key) const {
  const auto& all = file_.header().metadata;
  const auto found = all.find(key);
  return found == all.end() ? std::string() : found->second;
}

Config ModelInput::config(const std::vector<std::string>& overrides,
                          std::vector<std::string>& notes) const {
  if (!file_.has_checksum())
    notes.push_back(fmt::format("{}: has no checksum, so damage to it may go unseen", source_));
  return stored_config(metadata("config"), source_, overrides, notes);
}

graph::Graph ModelInput::graph() const {
  const std::string text = metadata("graph");
  if (!text.empty()) {
    const std::string name = source_ + " (graph)";
    return graph::graph_from_json(parse_json_object(text, name), name);
  }
  const Config described = Config::from_resolved(metadata("config"), source_ + " (config)");
  SPIKENM_CHECK(!described.has("model.file"),
                "{}: found no graph beside a config that names one in a file", source_);
  return naming_config(source_, [&] { return graph_from_config(described); });
}

std::optional<MaskRules> ModelInput::mask_rules() const {
  const std::string text = metadata("masks");
  if (text.empty()) return std::nullopt;
  const std::string name = source_ + " (masks)";
  return mask_rules_from_json(parse_json_object(text, name), name);
}

bool ModelInput::has_mask(const std::string& layer) const {
  return file_.header().find(layer + ".mask") != nullptr;
}

const StoredTensor& ModelInput::find(const std::string& name, const char* dtype,
                                     const std::vector<int64_t>& shape) {
  const StoredTensor& stored = find_tensor(file_, name, dtype, shape, source_);
  read_.insert(name);
  return stored;
}

void ModelInput::check_shapes(const graph::Graph& graph) {
  for (const graph::TensorShape& tensor : graph::tensors(graph))
    static_cast<void>(find(tensor.name, "F32", tensor.sizes));
  // Counting connections needs two maps.
  check_map_memory(graph, 2, source_, "its frames are of that size");
}

void ModelInput::read(const std::string& name, const std::vector<int64_t>& shape,
                      std::span<float> out) {
  const StoredTensor& stored = find(name, "F32", shape);
  file_.read(stored, {reinterpret_cast<uint8_t*>(out.data()), out.size_bytes()});
  check_trained_values(name, out, source_);
}

std::vector<uint8_t> ModelInput::read_bits(const std::string& name,
                                           const std::vector<int64_t>& shape) {
  std::vector<uint8_t> bits = file_.bytes(find(name, "U8", shape));
  for (const uint8_t bit : bits)
    SPIKENM_CHECK(bit <= 1, "{}: tensor '{}': found {}, wanted 0 or 1", source_, name, bit);
  return bits;
}

void ModelInput::read_mask(const std::string& layer, const nm::WeightShape& shape,
                           std::span<const float> weight, nm::Mask& mask) {
  const std::string name = layer + ".mask";
  mask.keep = read_bits(name, {shape.cout, shape.cin, shape.kh, shape.kw});
  const nm::MaskAudit found = nm::audit(mask);
  SPIKENM_CHECK(found.misplaced == 0, "{}: tensor '{}': {} of {} weights break the rule {}",
                source_, name, found.misplaced, found.weights,
                nm::rule_text(mask.kind, mask.pattern));
  SPIKENM_CHECK(found.valid(), "{}: tensor '{}': {} of {} blocks break the pattern {}", source_,
                name, found.violating_blocks + found.unshared_blocks, found.blocks,
                mask.pattern.text());
  for (size_t i = 0; i < weight.size(); ++i)
    SPIKENM_CHECK(mask.keep[i] != 0 || weight[i] == 0,
                  "{}: tensor '{}.weight': found a weight that its mask drops", source_, layer);
}

std::vector<uint8_t> ModelInput::read_neuron_mask(const std::string& neurons,
                                                  const std::vector<int64_t>& shape) {
  return read_bits(neurons + ".mask", shape);
}

void ModelInput::reject_unread() const {
  for (const StoredTensor& tensor : file_.header().tensors)
    SPIKENM_CHECK(read_.contains(tensor.name), "{}: tensor '{}': nothing in its network reads it",
                  source_, printable(tensor.name));
}

}  // namespace spikenm::train
