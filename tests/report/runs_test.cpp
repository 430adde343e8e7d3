#include "spikenm/report/runs.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"
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
  ASSERT_EQ(runs.unfinished.size(), 1u);
  EXPECT_EQ(runs.unfinished[0], dir / "half");
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

TEST_F(Runs, BrokenFilesAndMissingFoldersAreNamed) {
  add_run("a");
  write("a/result.json", "{\"method\": ");
  EXPECT_ERROR(find_runs({dir.path()}), "a/result.json", "not a JSON object");
  add_run("a");
  write("a/config.toml", "seed = ");
  EXPECT_ERROR(find_runs({dir.path()}), "a/config.toml:1");
  EXPECT_ERROR(find_runs({dir / "none"}), "none: found no such folder");
}

}  // namespace
}  // namespace spikenm::report
