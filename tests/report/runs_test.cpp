#include "spikenm/report/runs.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"
#include "support/nobody.h"
#include "support/temp_dir.h"

namespace spikenm::report {
namespace {

namespace fs = std::filesystem;

class Runs : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    fs::create_directories((dir / file).parent_path());
    write_file_atomically(dir / file, text);
  }
  void add_run(const std::string& folder, bool finished = true) {
    write(folder + "/config.toml", "seed = 1\n[model]\nT = 4\n");
    if (finished) write(folder + "/result.json", R"({"method": "dense", "test_accuracy": 50})");
  }
  std::vector<std::string> found(const std::vector<fs::path>& folders) {
    std::vector<std::string> names;
    for (const report::Run& run : find_runs(folders).finished)
      names.push_back(fs::relative(run.folder, dir.path()).string());
    return names;
  }

  test::TempDir dir;
};

using Names = std::vector<std::string>;

TEST_F(Runs, AreFoundAtAndBelowTheFoldersEachOnce) {
  add_run("a");
  add_run("b/deep/1");
  add_run("b/0");
  write("b/notes/readme.txt", "nothing");
  EXPECT_EQ(found({dir.path()}), (Names{"a", "b/0", "b/deep/1"}));
  EXPECT_EQ(found({dir / "b", dir / "a"}), (Names{"b/0", "b/deep/1", "a"}));
  EXPECT_EQ(found({dir / "a", dir / "a/../a", dir.path()}), (Names{"a", "b/0", "b/deep/1"}));
}

TEST_F(Runs, UnfinishedOnesAreListedApart) {
  add_run("a");
  add_run("half", /*finished=*/false);
  const FoundRuns runs = find_runs({dir.path()});
  ASSERT_EQ(runs.finished.size(), 1u);
  EXPECT_EQ(runs.left_out, (Names{(dir / "half").string() + ": found no result.json"}));
}

TEST_F(Runs, TheLastEpochsValidationIsPartOfTheResult) {
  const auto validation = [&] { return read_run(dir / "a").number("val_accuracy"); };
  add_run("a");
  EXPECT_FALSE(validation());
  write("a/metrics.jsonl", "{\"epoch\": 1, \"val_accuracy\": 70}\n");
  EXPECT_EQ(validation(), 70);
  write("a/metrics.jsonl",
        "{\"epoch\": 1, \"val_accuracy\": 70}\n{\"epoch\": 2, \"val_accuracy\": 60.5}\n");
  EXPECT_EQ(validation(), 60.5);
  write("a/metrics.jsonl", "{\"epoch\": 1}\n");
  EXPECT_FALSE(validation());
  write("a/metrics.jsonl", "{\"epoch\": ");
  EXPECT_ERROR(validation(), "metrics.jsonl");
}

TEST_F(Runs, TheTimeOfAllPhasesIsPartOfTheResult) {
  const auto seconds = [&] { return read_run(dir / "a").number("seconds"); };
  add_run("a");
  EXPECT_FALSE(seconds());
  write("a/result.json",
        R"({"test_accuracy": 1, "phase_seconds": {"search": 1.5, "finetune": 2}})");
  EXPECT_EQ(seconds(), 3.5);
}

TEST_F(Runs, ALinkInACircleEndsNothing) {
  add_run("a");
  fs::create_directory_symlink(dir.path(), dir / "a/up");
  EXPECT_EQ(found({dir.path()}), (Names{"a"}));
}

TEST_F(Runs, TheirFieldsAreReadOrMissing) {
  add_run("a");
  const report::Run run = read_run(dir / "a");
  EXPECT_EQ(run.text("method"), "dense");
  EXPECT_EQ(run.number("test_accuracy"), 50);
  EXPECT_EQ(run.number("energy_uj"), std::nullopt);
  EXPECT_EQ(run.text("granularity"), "");
  EXPECT_EQ(run.config.at("model").at("T"), 4);
  EXPECT_ERROR(run.number("method"), "a/result.json", "'method'", "wanted a number");
  EXPECT_ERROR(run.text("test_accuracy"), "a/result.json", "'test_accuracy'", "wanted text");
}

TEST_F(Runs, ABrokenOneIsLeftOutWithTheReason) {
  add_run("whole");
  const std::string result = (dir / "a/result.json").string();
  const auto why_left_out = [&] {
    const FoundRuns runs = find_runs({dir.path()});
    EXPECT_EQ(runs.finished.size(), 1u);
    EXPECT_EQ(runs.left_out.size(), 1u);
    return runs.left_out.empty() ? "" : runs.left_out[0];
  };
  add_run("a");
  for (const char* text : {"", "{", "{\"test_accuracy\": 5"}) {
    write("a/result.json", text);
    EXPECT_EQ(why_left_out(), result + ": found broken JSON, wanted a JSON object");
  }
  write("a/result.json", "[1]");
  EXPECT_EQ(why_left_out(), result + ": found array, wanted a JSON object");
  for (const char* text : {"{}", "{\"test_accuracy\": null}"}) {
    write("a/result.json", text);
    EXPECT_EQ(why_left_out(), result + ": found no number 'test_accuracy'");
  }
  write("a/result.json", "{\"test_accuracy\": \"5\"}");
  EXPECT_EQ(why_left_out(), result + ": found \"5\" as 'test_accuracy', wanted a number");
  EXPECT_ERROR(read_run(dir / "a"), "a/result.json", "'test_accuracy'");
  add_run("a");
  write("a/config.toml", "seed = ");
  EXPECT_NE(why_left_out().find("a/config.toml:1"), std::string::npos);
  fs::remove(dir / "a/config.toml");
  EXPECT_EQ(why_left_out(), (dir / "a").string() + ": found no config.toml");
}

TEST_F(Runs, AFolderThatCannotBeReadIsLeftOutAndNamed) {
  add_run("a");
  add_run("b/closed/c");
  fs::permissions(dir.path(), fs::perms(0755));
  const fs::path closed = dir / "b/closed";
  fs::permissions(closed, fs::perms(0));
  {
    const test::Nobody nobody;
    const FoundRuns runs = find_runs({dir.path()});
    EXPECT_EQ(runs.finished.size(), 1u);
    EXPECT_EQ(runs.left_out,
              (Names{closed.string() + ": cannot be searched for runs: Permission denied"}));
    EXPECT_ERROR(find_runs({closed}), closed.c_str(), "Permission denied");
    EXPECT_ERROR(find_runs({closed / "c"}), "closed/c", "Permission denied");
  }
  fs::permissions(closed, fs::perms(0755));
}

TEST_F(Runs, AMissingFolderIsNamed) {
  EXPECT_ERROR(find_runs({dir / "none"}), "none: found no such folder");
}

}  // namespace
}  // namespace spikenm::report
