#include "spikenm/report/settings.h"

#include "spikenm/core/file.h"
#include "spikenm/core/md5.h"
#include "spikenm/core/text.h"
#include "spikenm/core/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace spikenm::report {
namespace {

// The seed, and keys that do not change any bit of the result; * stands for any key of the section.
const char* const kWithoutEffect[] = {
    "seed",           "threads",          "cuda_graphs",     "data.cache",
    "data.cache_dir", "data.workers",     "data.augment_on", "data.max_unpacked_mb",
    "checkpoints.*",  "train.max_minutes"};

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string value_of(const Settings& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "-" : found->second;
}

// A published set is the same wherever it lies. Of one's own, the folder says which set it is.
void keep_root_of_own_data(Settings& settings) {
  const auto root = settings.find("data.root");
  if (root == settings.end()) return;
  const std::string name = value_of(settings, "data.name");
  if (name == "image-folder" || name == "event-folder") {
    std::string path = std::filesystem::path(root->second).lexically_normal().string();
    if (path.size() > 1 && path.ends_with('/')) path.pop_back();
    root->second = std::move(path);
  } else {
    settings.erase(root);
  }
}

// Whether the learning rate of a step depends on where search ends and finetuning begins.
bool rate_knows_phases(const Settings& settings) {
  const std::string schedule = value_of(settings, "train.schedule");
  return schedule == "two-cosines" || schedule == "two-steps" ||
         (schedule == "constant" &&
          value_of(settings, "train.lr") != value_of(settings, "train.finetune_lr"));
}

std::string seed_of(const Run& run) {
  for (const Json* where : {&run.config, &run.result})
    if (const auto seed = where->find("seed"); seed != where->end()) return seed->dump();
  return "";
}

// The number of different combinations of values that the rows have for these keys.
size_t groups(const std::vector<Settings>& rows, const std::vector<std::string>& keys) {
  std::set<std::vector<std::string>> seen;
  for (const Settings& row : rows) {
    std::vector<std::string> values;
    for (const std::string& key : keys) values.push_back(value_of(row, key));
    seen.insert(values);
  }
  return seen.size();
}

std::vector<std::string> differing_keys(const std::vector<Settings>& rows) {
  std::set<std::string> all;
  for (const Settings& row : rows)
    for (const auto& [key, value] : row) all.insert(key);

  std::vector<std::string> keys;
  if (all.erase("method.preset") != 0) keys.emplace_back("method.preset");  // tells most
  keys.insert(keys.end(), all.begin(), all.end());
  std::erase_if(keys, [&](const std::string& key) { return groups(rows, {key}) == 1; });
  return keys;
}

}  // namespace

Settings settings_of(const Run& run) {
  Settings settings;
  for (const auto& [key, value] : flatten_tables(run.config)) settings[key] = text_of(value);
  for (const char* key : kWithoutEffect)
    std::erase_if(settings, [&](const auto& entry) { return glob_match(key, entry.first); });
  keep_root_of_own_data(settings);

  // 0 is the whole set; older runs do not have these keys.
  for (const char* key : {"data.train_size", "data.test_size"})
    if (value_of(settings, key) == "0") settings.erase(key);
  // A network from a file is identified by its content: every run keeps it as graph.toml.
  if (settings.contains("model.file")) settings["model.file"] = run.text("graph_md5").substr(0, 8);
  // The precision that "auto" chose.
  if (const std::string precision = run.text("precision"); !precision.empty())
    settings["precision"] = precision;
  return settings;
}

std::string settings_hash(const Run& run) {
  std::string text;
  for (const auto& [key, value] : settings_of(run))
    text.append(key).append("=").append(value).append("\n");
  return md5_hex(as_bytes(text)).substr(0, 12);
}

Settings recipe_of(const Run& run) {
  Settings recipe = settings_of(run);
  recipe["data.name"] = run.text("data");
  recipe.erase("device");
  if (!rate_knows_phases(recipe)) recipe.erase("train.search_epochs");
  std::erase_if(recipe, [](const auto& entry) { return entry.first.starts_with("method."); });
  return recipe;
}

DistinctRuns distinct_runs(std::vector<Run> runs) {
  DistinctRuns distinct;
  std::map<std::pair<Settings, std::string>, size_t> seen;
  for (Run& run : runs) {
    const auto [first, fresh] =
        seen.emplace(std::pair(settings_of(run), seed_of(run)), distinct.runs.size());
    if (fresh) {
      distinct.runs.push_back(std::move(run));
      continue;
    }

    const Run& kept = distinct.runs[first->second];
    const auto found = run.number("test_accuracy"), before = kept.number("test_accuracy");
    distinct.repeated.push_back(fmt::format("{}: the same settings and seed as {}{}",
                                            run.folder.string(), kept.folder.string(),
                                            found == before ? "" : ", with another result"));
  }
  return distinct;
}

std::vector<Difference> differences(const std::vector<Settings>& rows) {
  std::vector<std::string> rest = differing_keys(rows), needed;
  while (!rest.empty() && groups(rows, needed) < rows.size()) {
    const auto makes = [&](const std::string& key) {
      std::vector<std::string> keys = needed;
      keys.push_back(key);
      return groups(rows, keys);
    };
    const auto best = std::max_element(
        rest.begin(), rest.end(),
        [&](const std::string& a, const std::string& b) { return makes(a) < makes(b); });
    needed.push_back(*best);
    rest.erase(best);
  }

  std::vector<Difference> found;
  for (const Settings& row : rows) {
    const auto texts = [&](const std::vector<std::string>& keys) {
      std::vector<std::string> list;
      for (const std::string& key : keys)
        list.push_back(fmt::format("{}={}", key, value_of(row, key)));
      return list;
    };
    found.push_back({.needed = texts(needed), .others = texts(rest)});
  }
  return found;
}

}  // namespace spikenm::report
