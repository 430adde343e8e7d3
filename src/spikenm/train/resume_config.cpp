#include "spikenm/train/resume_config.h"

#include "spikenm/core/file.h"
#include "spikenm/core/json.h"
#include "spikenm/core/text.h"
#include "spikenm/core/toml.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/train/recipe.h"

#include <algorithm>
#include <vector>

namespace spikenm::train {
namespace {

// * stands for any key of the section.
const std::vector<std::string> kMayDiffer{"threads",       "device",       "cuda_graphs",
                                          "deterministic", "data.workers", "data.root",
                                          "checkpoints.*"};

// "/train/lr" becomes "train.lr".
std::string key_of(std::string_view pointer) {
  std::string key(pointer.substr(1));
  std::replace(key.begin(), key.end(), '/', '.');
  return key;
}

// All keys with the values that a run with this config would use. Opens no data and needs no GPU.
Json resolved(const Config& config) {
  static_cast<void>(read_recipe(config, {.purpose = Purpose::kDescribe}));
  return parse_toml(config.resolved_toml(), "the resolved config");
}

// Compares the networks themselves, because files with different names may hold the same network.
bool is_same_network(const RunDir& run, const Config& asked) {
  return graph::to_toml(graph_from_config(asked)) == read_file(run.file(RunDir::kGraph));
}

}  // namespace

bool may_differ(std::string_view key) {
  return std::any_of(kMayDiffer.begin(), kMayDiffer.end(), [&](std::string_view known) {
    return known.ends_with('*') ? key.starts_with(known.substr(0, known.size() - 1)) : key == known;
  });
}

Config resume_config(const RunDir& run, const Config& asked) {
  const std::string source = run.file(RunDir::kConfig).string();
  Config config = Config::from_file(source);
  const Json before = parse_toml(run.read_config(), source).flatten();
  const Json now = resolved(asked).flatten();

  for (const auto& [pointer, value] : now.items()) {
    const std::string key = key_of(pointer);
    const bool is_new = !before.contains(pointer);
    if (!is_new && before[pointer] == value) continue;
    if (may_differ(key)) {
      config.override_with(key + "=" + value.dump());
    } else if (key != "model.file" || !is_same_network(run, asked)) {
      fail("{}: found {}, and the run in {} has {}; a run that goes on may differ in {} alone", key,
           value.dump(), run.path().string(), is_new ? "none" : before[pointer].dump(),
           join(kMayDiffer, ", "));
    }
  }
  return config;
}

void check_made_with(const CheckpointNote& note, const RunDir& run, const std::string& graph) {
  const std::string source = run.file(RunDir::kConfig).string();
  const Json then = parse_toml(note.config, "the checkpoint's config").flatten();
  const Json now = parse_toml(run.read_config(), source).flatten();
  const auto text_of = [](const Json& config, const std::string& pointer) {
    return config.contains(pointer) ? config[pointer].dump() : std::string("none");
  };
  Json all = then;
  all.update(now);
  for (const auto& [pointer, value] : all.items()) {
    const std::string key = key_of(pointer), found = text_of(now, pointer);
    SPIKENM_CHECK(found == text_of(then, pointer) || may_differ(key),
                  "{}: {}: found {}, and the run's checkpoint was made with {}", source, key, found,
                  text_of(then, pointer));
  }
  SPIKENM_CHECK(note.graph == graph,
                "{}: found another network than the one that the run's checkpoint was made with",
                run.file(RunDir::kGraph).string());
}

}  // namespace spikenm::train
