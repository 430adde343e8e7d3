#include "spikenm/report/settings.h"

#include "support/paper_runs.h"

#include <gtest/gtest.h>

namespace spikenm::report {
namespace {

using test::make_run;
using Texts = std::vector<std::string>;

TEST(Settings, AreTheConfigsKeysButForTheSeedAndWhatChangesNoResult) {
  report::Run run = make_run({}, 80);
  run.config["threads"] = 4;
  run.config["data"]["root"] = "/here";
  run.config["data"]["workers"] = 2;
  run.config["train"]["phases"] = {"search", "prune"};
  run.config["precision"] = "auto";
  run.result["precision"] = "bf16";
  EXPECT_EQ(settings_of(run), (Settings{{"data.name", "cifar10"},
                                        {"method.name", "spikenm"},
                                        {"method.pattern", "2:4"},
                                        {"model.T", "8"},
                                        {"model.name", "6conv2fc"},
                                        {"model.width", "256"},
                                        {"precision", "bf16"},  // what it came to
                                        {"train.epochs", "10"},
                                        {"train.lr", "0.001"},
                                        {"train.phases", "[\"search\",\"prune\"]"},
                                        {"train.schedule", "cosine"}}));
}

TEST(Settings, AWholeSetIsTheSameSaidOrUnsaid) {
  report::Run said = make_run({}, 80), part = make_run({}, 80);
  for (const char* key : {"train_size", "test_size"}) said.config["data"][key] = 0;
  part.config["data"]["train_size"] = 100;
  EXPECT_EQ(settings_of(said), settings_of(make_run({}, 80)));
  EXPECT_NE(settings_of(part), settings_of(make_run({}, 80)));
}

TEST(Settings, TwoFoldersOfOnesOwnDataAreTwoSets) {
  const auto on = [](const char* set, const char* root, int64_t seed) {
    report::Run run = make_run({.seed = seed}, 80);
    run.config["data"] = {{"name", set}, {"root", root}};
    return run;
  };
  for (const char* set : {"image-folder", "event-folder"}) {
    EXPECT_NE(settings_of(on(set, "host", 0)), settings_of(on(set, "ok", 1))) << set;
    EXPECT_NE(recipe_of(on(set, "host", 0)), recipe_of(on(set, "ok", 0))) << set;
    EXPECT_EQ(distinct_runs({on(set, "host", 0), on(set, "ok", 0)}).runs.size(), 2u) << set;
    EXPECT_EQ(settings_of(on(set, "host", 0)), settings_of(on(set, "./host/", 1))) << set;
    EXPECT_EQ(settings_of(on(set, "host", 0)).at("data.root"), "host") << set;
  }
  EXPECT_EQ(settings_of(on("cifar10", "host", 0)), settings_of(on("cifar10", "ok", 1)));
}

TEST(Settings, HowOftenACheckpointIsWrittenAndWhenARunPausesChangeNoResult) {
  report::Run often = make_run({.seed = 1}, 80);
  often.config["checkpoints"] = {{"every_epochs", 1}, {"keep", 5}};
  often.config["train"]["max_minutes"] = 10;
  EXPECT_EQ(settings_of(often), settings_of(make_run({}, 80)));
}

// Each run names its own copy, graph.toml.
TEST(Settings, NetworksOfFilesAreToldApartByWhatIsInThem) {
  report::Run a = make_run({}, 80), b = make_run({}, 80);
  for (report::Run* run : {&a, &b}) run->config["model"] = {{"T", 8}, {"file", "graph.toml"}};
  a.result["graph_md5"] = "0123456789abcdef0123456789abcdef";
  b.result["graph_md5"] = "fedcba9876543210fedcba9876543210";
  EXPECT_EQ(settings_of(a).at("model.file"), "01234567");
  EXPECT_NE(settings_of(a), settings_of(b));
  EXPECT_NE(recipe_of(a), recipe_of(b));
}

TEST(Settings, ARecipeIsAllButTheMethodAndTheDevice) {
  report::Run sparse = make_run({}, 80), dense = make_run({.method = "dense", .pattern = "-"}, 84);
  dense.config["device"] = "cuda";
  EXPECT_EQ(recipe_of(sparse), recipe_of(dense));
  for (const char* key : {"epochs", "batch_size", "lr", "optimizer", "loss"}) {
    report::Run other = dense;
    other.config["train"][key] = 77;
    EXPECT_NE(recipe_of(sparse), recipe_of(other)) << key;
  }
  for (const char* section : {"data", "model", "neuron"}) {
    report::Run other = dense;
    other.config[section]["some_key"] = 77;
    EXPECT_NE(recipe_of(sparse), recipe_of(other)) << section;
  }
  dense.result["precision"] = "bf16";
  EXPECT_NE(recipe_of(sparse), recipe_of(dense));
}

TEST(Settings, TheLengthOfTheSearchIsOfTheRecipeWhereARateDependsOnIt) {
  const auto recipe = [](const char* schedule, double finetune_lr, int search_epochs) {
    report::Run run = make_run({}, 80);
    run.config["train"]["schedule"] = schedule;
    run.config["train"]["finetune_lr"] = finetune_lr;
    run.config["train"]["search_epochs"] = search_epochs;
    return recipe_of(run);
  };
  EXPECT_EQ(recipe("cosine", 1e-3, 3), recipe("cosine", 1e-3, 5));
  EXPECT_EQ(recipe("constant", 1e-3, 3), recipe("constant", 1e-3, 5));
  EXPECT_NE(recipe("constant", 1e-4, 3), recipe("constant", 1e-4, 5));
  for (const char* schedule : {"two-cosines", "two-steps"})
    EXPECT_NE(recipe(schedule, 1e-3, 3), recipe(schedule, 1e-3, 5));
}

TEST(DistinctRuns, OneSeedInTwoFoldersIsOneRun) {
  report::Run again = make_run({}, 80), moved = make_run({}, 81);
  again.folder = "runs/copy";
  moved.folder = "runs/elsewhere";
  moved.config["data"]["root"] = "/elsewhere";
  const DistinctRuns found =
      distinct_runs({make_run({}, 80), again, make_run({.seed = 1}, 82), moved});
  ASSERT_EQ(found.runs.size(), 2u);
  EXPECT_EQ(found.runs[0].folder, "runs/x");
  EXPECT_EQ(found.runs[1].number("test_accuracy"), 82);
  EXPECT_EQ(found.repeated,
            (Texts{"runs/copy: the same settings and seed as runs/x",
                   "runs/elsewhere: the same settings and seed as runs/x, with another result"}));
}

TEST(Differences, NameFirstWhatTellsTheRowsApart) {
  const Settings base{{"a", "1"}, {"b", "1"}, {"c", "1"}, {"d", "1"}};
  const auto with = [&](const Settings& changed) {
    Settings row = base;
    for (const auto& [key, value] : changed) row[key] = value;
    return row;
  };
  // b alone splits in two, c in three.
  const auto found =
      differences({with({{"c", "2"}}), with({{"b", "2"}, {"c", "3"}}), with({{"b", "2"}})});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].needed, (Texts{"c=2"}));
  EXPECT_EQ(found[0].others, (Texts{"b=1"}));
  EXPECT_EQ(found[2].needed, (Texts{"c=1"}));
  EXPECT_EQ(found[2].others, (Texts{"b=2"}));
}

TEST(Differences, AMissingKeyIsADifferenceAndAPresetSaysMost) {
  const auto found = differences(
      {{{"method.lambda_eid", "5"}, {"method.preset", "paper"}}, {{"method.preset", "default"}}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].needed, (Texts{"method.preset=paper"}));
  EXPECT_EQ(found[0].others, (Texts{"method.lambda_eid=5"}));
  EXPECT_EQ(found[1].others, (Texts{"method.lambda_eid=-"}));
}

}  // namespace
}  // namespace spikenm::report
