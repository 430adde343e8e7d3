#include "spikenm/report/mask_history.h"

#include "spikenm/core/error.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/nm/mask.h"
#include "spikenm/report/run_groups.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>

namespace spikenm::report {
namespace fs = std::filesystem;
namespace {

// How a file calls the tensors of a layer.
struct Names {
  std::string mask_before, mask_after, weight_before;
};
const Names kModelNames{"", ".mask", ""}, kCheckpointNames{"mask_watch.", "", "network."};

std::vector<float> floats(const SafetensorsInput& file, const StoredTensor& tensor) {
  const std::vector<uint8_t> bytes = file.bytes(tensor);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

std::string pattern_of(const Run& run, const std::string& layer) {
  const auto patterns = run.result.find("layer_patterns");
  if (patterns != run.result.end() && patterns->is_object()) {
    const auto found = patterns->find(layer);
    if (found != patterns->end() && found->is_string()) return found->get<std::string>();
  }
  return config_text(run, "method", "pattern");
}

// Blocks of the pattern, if it is one that fits the weight's shape.
nm::BlockLayout layout_of(const Run& run, const LayerMask& layer,
                          const std::vector<int64_t>& shape) {
  const nm::WeightShape weight{shape[0], shape[1], shape[2], shape[3]};
  const std::string axis = config_text(run, "method", "axis");
  const std::string share = config_text(run, "method", "share");
  int width = 1;
  std::from_chars(share.data(), share.data() + share.size(), width);
  try {
    return nm::make_layout(weight, nm::NmPattern::parse(layer.pattern, layer.name, width),
                           axis == "flat" ? nm::Axis::kFlat : nm::Axis::kIn, layer.name);
  } catch (const Error&) {
    return nm::no_blocks(weight);  // "dense", or another rule without blocks
  }
}

double entropy_of(const std::vector<float>& logits, int64_t m) {
  double sum = 0;
  const auto width = static_cast<size_t>(m);
  const size_t blocks = logits.size() / width;
  for (size_t b = 0; b < blocks; ++b) {
    const float* const row = logits.data() + b * width;
    const double most = *std::max_element(row, row + width);
    double total = 0, weighted = 0;
    for (size_t s = 0; s < width; ++s) {
      const double e = std::exp(row[s] - most);
      total += e;
      weighted += e * (row[s] - most);
    }
    sum += std::log(total) - weighted / total;
  }
  return sum / static_cast<double>(blocks) / std::log(static_cast<double>(m));
}

std::optional<double> entropy_in(const SafetensorsInput& file, const std::string& layer) {
  const StoredTensor* logits = file.header().find("method." + layer + ".logits");
  if (logits == nullptr || logits->dtype != "F32" || logits->shape.size() != 2) return {};
  const bool has_blocks = logits->shape[0] > 0 && logits->shape[1] > 1;
  return has_blocks ? std::optional(entropy_of(floats(file, *logits), logits->shape[1]))
                    : std::nullopt;
}

std::vector<LayerMask> layers_in(const Run& run, const SafetensorsInput& file, const Names& names) {
  std::vector<LayerMask> layers;
  for (const StoredTensor& weight : file.header().tensors) {
    constexpr std::string_view kWeight = ".weight";
    if (!weight.name.starts_with(names.weight_before) || !weight.name.ends_with(kWeight)) continue;
    const std::string name =
        weight.name.substr(names.weight_before.size(),
                           weight.name.size() - names.weight_before.size() - kWeight.size());
    const StoredTensor* mask = file.header().find(names.mask_before + name + names.mask_after);
    if (mask == nullptr || mask->dtype != "U8" || weight.dtype != "F32" || weight.shape.size() != 4)
      continue;
    LayerMask layer{.name = name,
                    .pattern = pattern_of(run, name),
                    .layout = {},
                    .keep = file.bytes(*mask),
                    .magnitude = floats(file, weight),
                    .entropy = entropy_in(file, name)};
    if (layer.keep.size() != layer.magnitude.size() || layer.keep.empty()) continue;
    for (float& w : layer.magnitude) w = std::abs(w);
    layer.layout = layout_of(run, layer, weight.shape);
    layers.push_back(std::move(layer));
  }
  return layers;
}

// Numbers of the files step-N.safetensors, in order.
std::vector<std::pair<int64_t, fs::path>> checkpoints_of(const Run& run) {
  std::vector<std::pair<int64_t, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator entry(run.folder / RunDir::kCheckpoints, error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with("step-") || !name.ends_with(".safetensors")) continue;
    int64_t step = 0;
    std::from_chars(name.data() + 5, name.data() + name.size(), step);
    found.emplace_back(step, entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The epochs that had ended at a checkpoint; empty when it stands within one.
std::optional<double> epochs_of(const SafetensorsInput& file) {
  const auto values = file.header().metadata.find("values");
  if (values == file.header().metadata.end()) return {};
  const Json json = Json::parse(values->second, nullptr, /*allow_exceptions=*/false);
  const bool is_between = json.is_object() && json.value("batch", Json()) == 0 &&
                          json.value("epochs_done", Json()).is_number();
  return is_between ? std::optional(json["epochs_done"].get<double>()) : std::nullopt;
}

}  // namespace

double LayerMask::kept_share() const {
  const auto kept = std::count_if(keep.begin(), keep.end(), [](uint8_t k) { return k != 0; });
  return static_cast<double>(kept) / static_cast<double>(keep.size());
}

std::vector<MaskMoment> read_masks(const Run& run) {
  std::vector<MaskMoment> moments;
  for (const auto& [step, path] : checkpoints_of(run)) {
    const SafetensorsInput file(path);
    const std::optional<double> epoch = epochs_of(file);
    std::vector<LayerMask> layers = layers_in(run, file, kCheckpointNames);
    if (epoch && !layers.empty())
      moments.push_back({fmt::format("epoch {:g}", *epoch), *epoch, std::move(layers)});
  }

  const fs::path model = run.folder / RunDir::kModel;
  std::error_code error;
  if (fs::exists(model, error)) {
    const SafetensorsInput file(model);
    std::vector<LayerMask> layers = layers_in(run, file, kModelNames);
    const double last = static_cast<double>(read_metrics(run.folder).size());
    if (!layers.empty()) moments.push_back({"final", last, std::move(layers)});
  }
  SPIKENM_CHECK(!moments.empty(), "{}: found no masks, in its model or in a checkpoint",
                run.folder.string());
  return moments;
}

}  // namespace spikenm::report
