#include "spikenm/train/resume_config.h"

#include "spikenm/core/file.h"
#include "spikenm/core/json.h"
#include "spikenm/core/text.h"
#include "spikenm/core/toml.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/train/recipe.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace spikenm::train {
namespace {

// * stands for any key of the section.
const std::vector<std::string> kMayDiffer{"threads",       "device",           "cuda_graphs",
                                          "deterministic", "data.workers",     "data.root",
                                          "checkpoints.*", "train.max_minutes"};

// All keys with the values that a run with this config would use. Opens no data and needs no GPU.
Json resolved(const Config& config) {
  static_cast<void>(read_recipe(config, {.purpose = Purpose::kDescribe}));
  return parse_toml(config.resolved_toml(), "the resolved config");
}

// The keys of a config with their values as text.
using Values = std::map<std::string, std::string>;

Values values_of(const Json& config) {
  Values values;
  for (const auto& [key, value] : flatten_tables(config)) values.emplace(key, value.dump());
  return values;
}

std::string text_of(const Values& values, const std::string& key) {
  const auto it = values.find(key);
  return it == values.end() ? "none" : it->second;
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

std::optional<Difference> first_difference(const Json& found, const Json& wanted) {
  const Values have = values_of(found), want = values_of(wanted);
  Values all = have;
  all.insert(want.begin(), want.end());
  for (const auto& [key, value] : all)
    if (text_of(have, key) != text_of(want, key) && !may_differ(key))
      return Difference{.key = key, .found = text_of(have, key), .wanted = text_of(want, key)};
  return std::nullopt;
}

Config resume_config(const RunDir& run, const Config& asked) {
  const std::string source = run.file(RunDir::kConfig).string();
  Config config = Config::from_file(source);
  const Values before = values_of(parse_toml(run.read_config(), source));

  for (const auto& [key, value] : values_of(resolved(asked))) {
    if (text_of(before, key) == value) continue;
    if (may_differ(key)) {
      config.override_with(key + "=" + value);
    } else if (key != "model.file" || !is_same_network(run, asked)) {
      fail("{}: found {}, and the run in {} has {}; a run that goes on may differ in {} alone", key,
           value, run.path().string(), text_of(before, key), join(kMayDiffer, ", "));
    }
  }
  return config;
}

void check_made_with(const CheckpointNote& note, const RunDir& run, const std::string& graph) {
  const std::string source = run.file(RunDir::kConfig).string();
  if (const auto edited = first_difference(parse_toml(run.read_config(), source),
                                           parse_toml(note.config, "the checkpoint's config")))
    fail("{}: {}: found {}, and the run's checkpoint was made with {}", source, edited->key,
         edited->found, edited->wanted);
  SPIKENM_CHECK(note.graph == graph,
                "{}: found another network than the one that the run's checkpoint was made with",
                run.file(RunDir::kGraph).string());
}

}  // namespace spikenm::train
