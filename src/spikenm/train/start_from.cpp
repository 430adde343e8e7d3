#include "spikenm/train/start_from.h"

#include "spikenm/core/json_text.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/say.h"
#include "spikenm/core/text.h"
#include "spikenm/train/checkpoint.h"
#include "spikenm/train/model_input.h"
#include "spikenm/train/state_copy.h"
#include "spikenm/train/tensor_file.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace spikenm::train {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNetwork = "network.";  // prefix of the network's tensors in checkpoints
constexpr size_t kListed = 20;

fs::path file_of(const fs::path& given) {
  std::error_code error;  // reading reports what is wrong with a path
  if (!fs::is_directory(given, error)) {
    SPIKENM_CHECK(fs::exists(given, error) || error,
                  "train.from: found no {}, wanted a model, a checkpoint or the folder of a run",
                  given.string());
    return given;
  }
  if (fs::exists(given / RunDir::kModel, error)) return given / RunDir::kModel;
  const auto checkpoints = list_checkpoints(given / RunDir::kCheckpoints);
  SPIKENM_CHECK(!checkpoints.empty(),
                "train.from: found neither {} nor checkpoints in {}, wanted a run that has one",
                RunDir::kModel, given.string());
  return checkpoints.front();
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

// What of the file does not fit the tensors, one phrase each.
std::vector<std::string> misfits(const SafetensorsInput& file, std::string_view prefix,
                                 const std::vector<nn::NamedTensor>& wanted) {
  std::vector<std::string> found;
  std::set<std::string> names;
  for (const nn::NamedTensor& t : wanted) {
    const std::string name = std::string(prefix) + t.name;
    names.insert(name);
    const StoredTensor* const stored = file.header().find(name);
    if (stored == nullptr) {
      found.push_back(fmt::format("found no {}", t.name));
    } else if (stored->shape != t.tensor.sizes().vec() || stored->dtype != "F32") {
      found.push_back(fmt::format("found {} {} {}, wanted F32 {}", t.name, printable(stored->dtype),
                                  shape_text(stored->shape), shape_text(t.tensor.sizes().vec())));
    }
  }
  for (const StoredTensor& stored : file.header().tensors) {
    const bool is_weight = stored.name.starts_with(prefix) && !stored.name.ends_with(".mask");
    if (is_weight && !names.contains(stored.name))
      found.push_back(
          fmt::format("the network has no {}", printable(stored.name.substr(prefix.size()))));
  }
  return found;
}

bool prunes_without_search(const TrainOptions& options) {
  const auto runs = [&](const char* phase) {
    return std::find(options.phases.begin(), options.phases.end(), phase) != options.phases.end();
  };
  return runs("prune") && (!runs("search") || options.search_epochs == 0);
}

void load_search(Recipe& recipe, const SafetensorsInput& file, const std::string& source) {
  const auto values = file.header().metadata.find("values");
  SPIKENM_CHECK(values != file.header().metadata.end(), "{}: found no 'values' in a checkpoint",
                source);
  load_part_of_state(
      [&](nn::StateVisitor& visitor) {
        const nn::StateVisitor::Scope scope(visitor, "method");
        recipe.model.method->visit_state(visitor);
      },
      file, parse_json_object(values->second, source + " (values)"), source);
}

}  // namespace

void start_from(Recipe& recipe) {
  if (recipe.train.from.empty()) return;
  const fs::path path = file_of(recipe.train.from);
  const std::string source = fmt::format("train.from: {}", path.string());
  const SafetensorsInput file(path);
  file.verify();
  const auto format = file.header().metadata.find("format");
  const bool is_checkpoint =
      format != file.header().metadata.end() && format->second == kCheckpointFormat;
  const std::string_view prefix = is_checkpoint ? kNetwork : "";

  nn::Network& network = *recipe.model.network;
  std::vector<nn::NamedTensor> wanted = network.parameters();
  for (const nn::NamedTensor& buffer : network.buffers()) wanted.push_back(buffer);
  std::vector<std::string> wrong = misfits(file, prefix, wanted);
  const size_t n = wrong.size();
  wrong.resize(std::min(n, kListed));
  SPIKENM_CHECK(n == 0, "{} does not fit the network: {}{}", source, join(wrong, "; "),
                n > kListed ? fmt::format("; and {} more", n - kListed) : "");

  const at::NoGradGuard no_grad;
  for (const nn::NamedTensor& t : wanted) {
    const at::Tensor values =
        read_tensor(file, *file.header().find(std::string(prefix) + t.name), at::kFloat);
    check_trained_values(
        t.name, {values.const_data_ptr<float>(), static_cast<size_t>(values.numel())}, source);
    at::Tensor(t.tensor).copy_(values);
  }
  if (is_checkpoint && prunes_without_search(recipe.train)) load_search(recipe, file, source);
  say(fmt::format("starts from {}", path.string()));
}

}  // namespace spikenm::train
