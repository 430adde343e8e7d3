#include "spikenm/train/stored_config.h"

#include "spikenm/core/say.h"
#include "spikenm/data/data_keys.h"

#include <algorithm>

namespace spikenm::train {
namespace {

// Whether an override changes nothing in a trained network.
bool only_trains(std::string_view assignment) {
  const std::string_view key = assignment.substr(0, assignment.find('='));
  if (key.starts_with("checkpoints.")) return true;
  if (key.starts_with("train.")) return key != "train.batch_size" && key != "train.loss";
  constexpr std::string_view kKeys[] = {"data.train_size", "data.val_fraction", "data.augment",
                                        "data.mixup", "data.cutmix"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

}  // namespace

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

}  // namespace spikenm::train
