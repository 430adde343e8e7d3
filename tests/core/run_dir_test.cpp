#include "spikenm/core/run_dir.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

// A folder with every file of a finished run.
RunDir finished_run(const fs::path& path) {
  const RunDir run = RunDir::create(path, false);
  for (const std::string_view name :
       {RunDir::kConfig, RunDir::kMetrics, RunDir::kResult, RunDir::kModel, RunDir::kBestModel})
    run.write(name, "old");
  return run;
}

TEST(RunDir, MakesFoldersAboveItself) {
  const TempDir dir;
  const RunDir run = RunDir::create(dir / "a/b", false);
  run.write(RunDir::kConfig, "x = 1\n");
  EXPECT_EQ(read_file(dir / "a/b/config.toml"), "x = 1\n");
}

TEST(RunDir, TakesAnEmptyFolder) {
  const TempDir dir;
  EXPECT_EQ(RunDir::create(dir.path(), false).path(), dir.path());
}

TEST(RunDir, ExistingRunIsRefusedAndKept) {
  const TempDir dir;
  const RunDir run = finished_run(dir / "run");
  EXPECT_ERROR(RunDir::create(dir / "run", false), "run", "holds a run already", "--force");
  EXPECT_EQ(read_file(run.file(RunDir::kResult)), "old");
}

TEST(RunDir, ForceRemovesTheFilesOfTheRunAndOnlyThose) {
  const TempDir dir;
  const RunDir run = finished_run(dir / "run");
  run.write("notes.txt", "mine");
  RunDir::create(dir / "run", true);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir / "run"), fs::directory_iterator()), 1);
  EXPECT_EQ(read_file(run.file("notes.txt")), "mine");
}

TEST(RunDir, ForeignFolderIsRefusedEvenWithForce) {
  const TempDir dir;
  write_file_atomically(dir / "thesis.tex", "mine");
  write_file_atomically(dir / "result.json", "mine");
  for (const bool force : {false, true})
    EXPECT_ERROR(RunDir::create(dir.path(), force), "not empty", "--out");
  EXPECT_EQ(read_file(dir / "thesis.tex"), "mine");
  EXPECT_EQ(read_file(dir / "result.json"), "mine");
}

TEST(RunDir, FileInThePlaceOfTheFolderIsRefusedAndKept) {
  const TempDir dir;
  write_file_atomically(dir / "f", "mine");
  EXPECT_ERROR(RunDir::create(dir / "f", true), "/f", "not a folder");
  EXPECT_EQ(read_file(dir / "f"), "mine");
}

TEST(RunDir, FolderThatCannotBeMadeIsAnError) {
  const TempDir dir;
  write_file_atomically(dir / "f", "");
  EXPECT_ERROR(RunDir::create(dir / "f/run", false), "f/run", "Not a directory");
}

TEST(RunDir, AppendedLinesFollowOneAnother) {
  const TempDir dir;
  const RunDir run = RunDir::create(dir / "run", false);
  run.append_line(RunDir::kMetrics, {{"epoch", 1}, {"loss", 0.5}});
  run.append_line(RunDir::kMetrics, {{"epoch", 2}, {"note", "a\nb"}});
  EXPECT_EQ(read_file(run.file(RunDir::kMetrics)),
            "{\"epoch\":1,\"loss\":0.5}\n{\"epoch\":2,\"note\":\"a\\nb\"}\n");
}

TEST(RunDir, AppendToAFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TempDir dir;
  const RunDir run = RunDir::create(dir / "run", false);
  fs::create_symlink("/dev/full", run.file(RunDir::kMetrics));
  EXPECT_ERROR(run.append_line(RunDir::kMetrics, {{"epoch", 1}}), "metrics.jsonl", "No space left");
}

TEST(RunDir, AppendToAFolderThatIsGoneIsAnError) {
  const TempDir dir;
  const RunDir run = RunDir::create(dir / "run", false);
  fs::remove_all(dir / "run");
  EXPECT_ERROR(run.append_line(RunDir::kMetrics, {{"epoch", 1}}), "metrics.jsonl", "No such file");
}

}  // namespace
}  // namespace spikenm
