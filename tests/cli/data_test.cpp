// 'spikenm data' as a user sees it.
#include "spikenm/core/json.h"
#include "spikenm/data/dataset.h"
#include "support/cli.h"
#include "support/small_sets.h"

#include <gtest/gtest.h>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::Arguments;
using test::Outcome;
using test::SmallSet;

class DataCli : public test::Cli {
 protected:
  Outcome data(const std::string& command, const std::string& name, const Arguments& more = {}) {
    Arguments arguments{"data", command, name, "--root", small_set(name).root().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  // One copy of each set a test asks for.
  const SmallSet& small_set(const std::string& name) {
    for (const auto& set : sets_)
      if (set.first == name) return *set.second;
    return *sets_.emplace_back(name, std::make_unique<SmallSet>(name)).second;
  }

 private:
  std::vector<std::pair<std::string, std::unique_ptr<SmallSet>>> sets_;
};

TEST_F(DataCli, ListNamesEverySet) {
  const Outcome found = run({"data", "list"});
  EXPECT_EQ(found.code, 0);
  for (const std::string& name : data::datasets().names())
    EXPECT_NE(found.out.find(name), std::string::npos) << name;
}

TEST_F(DataCli, ACopyThatLacksSamplesFailsTheCheckAndIsNamed) {
  const Outcome found = data("check", "n-mnist");
  EXPECT_EQ(found.code, 1);
  EXPECT_NE(found.out.find("every sample can be read"), std::string::npos) << found.out;
  EXPECT_NE(found.err.find("n-mnist: incomplete: train: found 10 samples"), std::string::npos)
      << found.err;
}

TEST_F(DataCli, ABrokenRecordingIsNamed) {
  const fs::path file = small_set("n-mnist").root() / "Train/3/0.bin";
  fs::resize_file(file, fs::file_size(file) - 1);
  const Outcome found = data("check", "n-mnist");
  EXPECT_EQ(found.code, 1);
  EXPECT_NE(found.out.find(file.string()), std::string::npos) << found.out;
}

TEST_F(DataCli, StatsCountClassesAndEvents) {
  const Outcome found = data("stats", "n-mnist", {"--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  const Json stats = Json::parse(found.out);
  EXPECT_EQ(stats.dump().find("null"), std::string::npos) << stats;
  EXPECT_NE(data("stats", "cifar10").out.find("airplane"), std::string::npos);
}

TEST_F(DataCli, AFolderOfRecordingsHasStats) {
  const Outcome found = data("stats", "event-folder", {"--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  const Json stats = Json::parse(found.out);
  EXPECT_EQ(stats.dump().find("null"), std::string::npos) << stats;
  EXPECT_TRUE(test::has(found.out, "events")) << found.out;
}

TEST_F(DataCli, PreviewDrawsImagesAndEvents) {
  for (const char* name : {"cifar10", "dvs-gesture", "event-folder", "shd"}) {
    const Outcome found = data("preview", name, {"--out", "sheet.svg", "--count", "2", "--T", "4"});
    EXPECT_EQ(found.code, 0) << found.err;
    const std::string svg = read_file(dir / "sheet.svg");
    EXPECT_TRUE(test::has(svg, "data:image/png;base64,")) << name;
    const bool has_times =
        name == std::string("dvs-gesture") || name == std::string("event-folder");
    EXPECT_EQ(test::has(svg, ">t = 4 of 4, ") && test::has(svg, " ms<"), has_times) << name;
  }
}

TEST_F(DataCli, CacheIsMadeOnceAndStaysWhereItWasPut) {
  const Arguments folder{"--folder", (dir / "cache").string()};
  const Outcome first = data("cache", "n-mnist", folder);
  EXPECT_EQ(first.code, 0) << first.err;
  const auto files = files_in("cache");
  EXPECT_EQ(files.size(), 1u);
  const auto time = fs::last_write_time(dir / "cache" / *files.begin());
  EXPECT_EQ(data("cache", "n-mnist", folder).out, first.out);
  EXPECT_EQ(fs::last_write_time(dir / "cache" / *files.begin()), time);
}

TEST_F(DataCli, EventsTellWhatAFileIs) {
  test::put(dir / "unknown.name", test::aedat2_file(test::some_events(50, 128, 128)));
  const Outcome found = run({"data", "events", "unknown.name", "--json", "--png", "a.svg"});
  ASSERT_EQ(found.code, 0) << found.err;
  const Json summary = Json::parse(found.out);
  EXPECT_EQ(summary["format"], "AEDAT 2.0");
  EXPECT_EQ(summary["events"], 50);
  EXPECT_EQ(summary["width"], 128);
  EXPECT_TRUE(test::has(read_file(dir / "a.svg"), " ms<"));
  test::put(dir / "text", "just some words");
  expect_failure({"data", "events", "text"}, 1, {"text", "known"});
}

TEST_F(DataCli, MistakesAreOneSentence) {
  expect_failure({"data", "check", "cifar11"}, 1, {"cifar11", "nearest: cifar10"});
  expect_failure({"data", "check", "mnist"}, 1, {"data.root", "not set"});
  expect_failure({"data", "check", "mnist", "--root", "nowhere"}, 1, {"nowhere", "not a folder"});
  expect_failure({"data", "stats", "cifar10-dvs", "--root",
                  small_set("cifar10-dvs").root().string(), "splits=tebn"},
                 1, {"data.splits", "nearest is data.split"});
  expect_failure({"data", "events", "absent"}, 1, {"absent", "No such file"});
}

TEST_F(DataCli, ARunOnRecordingsNamesItsSplitAndCachesItsFrames) {
  const Outcome found = run({"train", "--out", "run", "data.name=cifar10-dvs",
                             "data.root=" + small_set("cifar10-dvs").root().string(),
                             "data.cache_dir=" + (dir / "cache").string(), "data.val_fraction=0.34",
                             "data.resize=16", "data.split=random:3", "model.T=2", "model.width=4",
                             "train.epochs=1", "train.batch_size=5", "method.name=dense"});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(files_in("cache").size(), 1u);
  const Json result = Json::parse(read_file(dir / "run/result.json"));
  EXPECT_EQ(result["split"], "random:3");
  EXPECT_EQ(result["simulated"], false);
  EXPECT_EQ(result["samples"]["train"], 20);
  EXPECT_EQ(result["samples"]["validation"], 10);
  EXPECT_EQ(result["samples"]["test"], 10);
}

TEST_F(DataCli, ARunOnPartOfASetNamesItAndIsEvaluatedWithoutTheTrainPart) {
  const fs::path root = small_set("n-mnist").root();
  const Arguments small{"data.name=n-mnist", "data.root=" + root.string(),
                        "data.cache=off",    "data.val_fraction=0",
                        "model.T=2",         "model.width=4",
                        "train.epochs=1",    "train.batch_size=3",
                        "method.name=dense"};
  Arguments train{"train", "--out", "run", "data.train_size=6", "data.test_size=4"};
  train.insert(train.end(), small.begin(), small.end());
  const Outcome found = run(train);
  ASSERT_EQ(found.code, 0) << found.err;
  const Json result = Json::parse(read_file(dir / "run/result.json"));
  EXPECT_EQ(result["samples"]["train"], 6);
  EXPECT_EQ(result["samples"]["test"], 4);
  EXPECT_EQ(result["subset"], "6 of 10 train and 4 of 10 test samples, balanced by class");

  fs::create_directories(dir / "test_only");
  fs::rename(root / "Test", dir / "test_only/Test");
  const Outcome eval = run({"eval", "run", "--json", "data.root=test_only"});
  ASSERT_EQ(eval.code, 0) << eval.err;
  EXPECT_EQ(Json::parse(eval.out)["test_accuracy"], result["test_accuracy"]);
  EXPECT_EQ(Json::parse(eval.out)["test_loss"], result["test_loss"]);
}

}  // namespace
}  // namespace spikenm
