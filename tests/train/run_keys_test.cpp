// What runs read is what the declarations say: the resolved configs of the files we ship, and of
// every row of every registry.
#include "spikenm/train/run_keys.h"

#include "spikenm/train/recipe.h"
#include "support/declared_keys.h"

#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

namespace fs = std::filesystem;

std::string chosen(const Config& config, const std::string& key) {
  const Json resolved = parse_toml(config.resolved_toml(), "resolved");
  return resolved.at(Json::json_pointer(key)).get<std::string>();
}

void expect_declared(const Config& config, const std::string& what) {
  static_cast<void>(read_recipe(config, {.purpose = Purpose::kDescribe}));
  test::Owners owners{{"model", {chosen(config, "/model/name")}},
                      {"method", {chosen(config, "/method/name")}},
                      {"data", {chosen(config, "/data/name")}}};
  // A set made of another reads the keys of both.
  if (parse_toml(config.resolved_toml(), what).at("data").contains("source"))
    owners["data"].insert(chosen(config, "/data/source"));
  test::expect_declared(config, run_keys(), owners, what);
}

Config with(const std::vector<std::string>& overrides) {
  Config config;
  for (const std::string& assignment : overrides) config.override_with(assignment);
  return config;
}

TEST(RunKeys, ConfigsThatWeShipReadDeclaredKeys) {
  for (const char* folder : {"smoke", "demo"})
    for (const auto& file :
         fs::directory_iterator(fs::path(SPIKENM_SOURCE_DIR) / "configs" / folder))
      expect_declared(Config::from_file(file.path()), file.path().string());
}

bool declares(const std::string& method, const std::string& name) {
  return test::find_key(run_keys(), {{"method", {method}}}, "method", name) != nullptr;
}

TEST(RunKeys, EveryMethodReadsWhatItDeclares) {
  for (const std::string& name : sparsity::methods().names()) {
    const std::string method = "method.name=" + name;
    expect_declared(with({method}), name);
    const Config alone = with({method});
    const Recipe recipe = read_recipe(alone, {.purpose = Purpose::kDescribe});
    if (recipe.model.method->neurons().empty())
      expect_declared(with({method, "method.granularity=weight+neuron"}), name);
    // Blocks of 4: some methods take no longer ones.
    if (declares(name, "pattern"))
      expect_declared(with({method, "method.pattern=auto:0.5", "method.auto_m=4"}), name);
  }
}

TEST(RunKeys, EveryModelReadsWhatItDeclares) {
  for (const std::string& name : graph::models().names())
    expect_declared(with({"model.name='" + name + "'"}), name);
}

TEST(RunKeys, EveryDatasetReadsWhatItDeclares) {
  for (const std::string& name : data::datasets().names())
    expect_declared(with({"data.name=" + name, "method.name=dense", "model.name=mlp"}), name);
}

TEST(RunKeys, OptionsThatChangeWhatIsReadAreDeclaredToo) {
  for (const char* option :
       {"method.pattern=auto:0.5", "method.preset=paper", "method.draws=at-most",
        "method.lambda_eid=0", "method.eid_target=uniform", "method.freeze=resample",
        "train.optimizer=sgd", "train.optimizer=adamw", "train.schedule=step",
        "train.schedule=two-cosines", "train.schedule=two-steps", "train.epochs=7", "device=auto",
        "neuron.reset=soft", "neuron.name=if", "data.cache=off"})
    expect_declared(with({option}), option);
}

// A preset is words in a declaration; the usual one is its value.
TEST(RunKeys, DefaultsOfSpikenmAreThoseOfItsUsualPreset) {
  const Config config;
  static_cast<void>(read_recipe(config, {.purpose = Purpose::kDescribe}));
  const Json method = parse_toml(config.resolved_toml(), "resolved").at("method");
  for (const KeyGroup& group : run_keys()) {
    if (group.owner != "spikenm") continue;
    for (const Key* key : group.keys) {
      if (!method.contains(key->name) || key->type == KeyType::kTable) continue;
      EXPECT_EQ(method[key->name].dump(), key->fallback) << key->name;
    }
  }
}

TEST(RunKeys, DeclarationsAreWholeAndNameEveryRow) {
  const std::vector<KeyGroup> groups = run_keys();
  test::expect_whole(groups);
  const auto expect_rows = [&](const std::string& section, std::vector<std::string> names) {
    std::vector<std::string> owners;
    for (const KeyGroup& group : groups)
      if (group.section == section && !group.owner.empty()) owners.push_back(group.owner);
    std::sort(owners.begin(), owners.end());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(owners, names) << section;
  };
  expect_rows("model", graph::models().names());
  expect_rows("data", data::datasets().names());
  expect_rows("method", sparsity::methods().names());
}

}  // namespace
}  // namespace spikenm::train
