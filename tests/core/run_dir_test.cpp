#include "spikenm/core/run_dir.h"

#include "spikenm/core/file.h"
#include "support/child.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <signal.h>
#include <sys/stat.h>

#include <array>
#include <map>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

constexpr std::array kRunFiles{RunDir::kConfig, RunDir::kMetrics, RunDir::kResult, RunDir::kModel,
                               RunDir::kBestModel};

using Files = std::map<std::string, std::string>;  // name -> content

// All files of a folder, and of those below it, but for the owner's record.
Files files_in(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path() != folder / RunOwner::kFile)
      files[fs::relative(entry.path(), folder).string()] =
          entry.is_directory() ? "folder" : read_file(entry.path());
  return files;
}

// A folder with every file of a finished run.
void make_finished_run(const fs::path& path) {
  const RunDir run = RunDir::create(path, false);
  run.write_config("x = \"old\"\n");
  for (const std::string_view name : kRunFiles)
    if (name != RunDir::kConfig) run.write(name, "old");
}

// As it is after its first epoch.
void write_epoch(const RunDir& run) {
  run.write_config("x = \"new\"\n");
  run.append_line(RunDir::kMetrics, {{"epoch", 1}});
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
  make_finished_run(dir / "run");
  const Files before = files_in(dir / "run");
  EXPECT_ERROR(RunDir::create(dir / "run", false), "run", "holds a run already", "--force");
  EXPECT_EQ(files_in(dir / "run"), before);
}

TEST(RunDir, TheOldRunStaysWholeUntilTheNewOneIsPromoted) {
  const TempDir dir;
  make_finished_run(dir / "run");
  write_file_atomically(dir / "run/notes.txt", "mine");
  const Files before = files_in(dir / "run");
  {
    RunDir run = RunDir::create(dir / "run", true);
    write_epoch(run);
    Files during = files_in(dir / "run");
    EXPECT_EQ(during.at(".next/metrics.jsonl"), "{\"epoch\":1}\n");
    std::erase_if(during, [](const auto& file) { return file.first.starts_with(".next"); });
    EXPECT_EQ(during, before);
    run.promote();
    EXPECT_EQ(files_in(dir / "run").size(), 3u);
    EXPECT_EQ(read_file(run.file(RunDir::kMetrics)), "{\"epoch\":1}\n");
    EXPECT_NE(read_file(dir / "run/config.toml").find("new"), std::string::npos);
    EXPECT_EQ(read_file(dir / "run/notes.txt"), "mine");
    run.append_line(RunDir::kMetrics, {{"epoch", 2}});
    run.promote();  // only the first does anything
    run.write(RunDir::kResult, "new");
  }
  EXPECT_EQ(read_file(dir / "run/metrics.jsonl"), "{\"epoch\":1}\n{\"epoch\":2}\n");
  EXPECT_EQ(read_file(dir / "run/result.json"), "new");
  EXPECT_FALSE(fs::exists(dir / "run/model.safetensors"));
}

TEST(RunDir, ARunThatFailsBeforeItsFirstEpochLeavesTheOldOne) {
  const TempDir dir;
  make_finished_run(dir / "run");
  const Files before = files_in(dir / "run");
  write_epoch(RunDir::create(dir / "run", true));
  EXPECT_EQ(files_in(dir / "run"), before);
}

TEST(RunDir, WhatAKilledRunLeftIsClearedByForce) {
  const TempDir dir;
  make_finished_run(dir / "run");
  const Files before = files_in(dir / "run");
  fs::create_directory(dir / "run/.next");
  for (const char* name : {"config.toml.part1f", ".next/config.toml", ".next/metrics.jsonl.part77"})
    write_file_atomically(dir / ("run/" + std::string(name)), "cut");
  static_cast<void>(RunDir::create(dir / "run", true));
  EXPECT_EQ(files_in(dir / "run"), before);
}

TEST(RunDir, AFolderWithLeftoversAloneIsUsableWithForce) {
  for (const char* left : {"config.toml.part4711", "config.toml.part00ff", ".next/config.toml"}) {
    const TempDir dir;
    fs::create_directory(dir / ".next");
    write_file_atomically(dir / left, "cut");
    EXPECT_ERROR(RunDir::create(dir.path(), false), "run left", "--force");
    const RunDir run = RunDir::create(dir.path(), true);
    run.write_config("");
    EXPECT_EQ(files_in(dir.path()).size(), 1u);
    EXPECT_TRUE(fs::exists(dir / "config.toml"));
  }
}

TEST(RunDir, OthersFilesInThePlaceOfTheNextRunAreKept) {
  const TempDir dir;
  make_finished_run(dir / "run");
  fs::create_directory(dir / "run/.next");
  write_file_atomically(dir / "run/.next/thesis.tex", "mine");
  EXPECT_ERROR(RunDir::create(dir / "run", true), "run/.next", "not a run's");
  EXPECT_EQ(read_file(dir / "run/.next/thesis.tex"), "mine");
  fs::rename(dir / "run/.next", dir / "elsewhere");
  fs::create_directory_symlink(dir / "elsewhere", dir / "run/.next");
  EXPECT_ERROR(RunDir::create(dir / "run", true), "run/.next", "not a run's");
  EXPECT_EQ(read_file(dir / "elsewhere/thesis.tex"), "mine");
}

TEST(RunDir, AConfigOfOnesOwnIsNoRun) {
  const TempDir dir;
  write_file_atomically(dir / "config.toml", "seed = 1\n");
  write_file_atomically(dir / "model.safetensors", "mine");
  const Files before = files_in(dir.path());
  EXPECT_ERROR(RunDir::create(dir.path(), true), "holds no run", "--out");
  EXPECT_EQ(files_in(dir.path()), before);
}

TEST(RunDir, MetricsThatAnyProgramMayWriteAreNoRun) {
  for (const char* line :
       {"{\"epoch\": 1, \"loss\": 0.5}\n", "{\"epoch\":1,\"phase\":\"search\"}\n"}) {
    const TempDir dir;
    write_file_atomically(dir / "metrics.jsonl", line);
    write_file_atomically(dir / "model.safetensors", "mine");
    const Files before = files_in(dir.path());
    EXPECT_ERROR(RunDir::create(dir.path(), true), "holds no run", "--out");
    EXPECT_EQ(files_in(dir.path()), before);
  }
}

// A child that tells when it is about to put its run in the place of an old one.
pid_t start_promotion(const fs::path& folder, int tell) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  RunDir run = RunDir::create(folder, true);
  write_epoch(run);
  if (::write(tell, "x", 1) != 1) ::_exit(1);
  run.promote();
  ::pause();
  ::_exit(0);
}

TEST(RunDir, AKillAtAnyPointLeavesTheOldRunOrTheNewOne) {
  for (int round = 0; round < 30; ++round) {
    const TempDir dir;
    make_finished_run(dir / "run");
    const Files before = files_in(dir / "run");
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = start_promotion(dir / "run", pipe[1]);
    char told = 0;
    ASSERT_EQ(::read(pipe[0], &told, 1), 1);
    ::usleep(static_cast<useconds_t>(round) * 10);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(pipe[0]);
    ::close(pipe[1]);
    Files after = files_in(dir / "run");
    if (after.contains("result.json")) {
      std::erase_if(after, [&](const auto& file) { return !before.contains(file.first); });
      EXPECT_EQ(after, before);  // whole
    } else {
      for (const std::string name : {"config.toml", "metrics.jsonl"})
        EXPECT_TRUE(after.contains(".next/" + name) ||
                    after[name].find("new") != std::string::npos ||
                    after[name].starts_with("{\"epoch\":1}"))
            << name;
    }
    // Whatever was left, the folder can be used again.
    const RunDir again = RunDir::create(dir / "run", true);
    again.write_config("");
  }
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

// A child that holds the folder until it is killed.
pid_t start_run(const fs::path& folder) {
  int pipe[2];
  EXPECT_EQ(::pipe(pipe), 0);
  const pid_t child = test::in_child([&] {
    const RunDir run = RunDir::create(folder, true);
    return ::write(pipe[1], "x", 1) == 1 ? ::pause() : 1;
  });
  char told = 0;
  EXPECT_EQ(::read(pipe[0], &told, 1), 1);
  ::close(pipe[0]);
  ::close(pipe[1]);
  return child;
}

void kill_and_wait(pid_t child) {
  ::kill(child, SIGKILL);
  EXPECT_EQ(test::status_of(child), -1);
}

TEST(RunDir, AFolderWhoseRunIsAtWorkIsRefusedEvenWithForce) {
  const TempDir dir;
  make_finished_run(dir / "run");
  for (const char* folder : {"new", "run"}) {
    const pid_t child = start_run(dir / folder);
    const Files before = files_in(dir / folder);
    const std::string named = "process " + std::to_string(child) + " on ";
    for (const bool force : {false, true})
      EXPECT_ERROR(RunDir::create(dir / folder, force, /*take_over=*/true), folder, named.c_str(),
                   "still runs");
    EXPECT_EQ(files_in(dir / folder), before);
    kill_and_wait(child);
  }
}

TEST(RunDir, AnOwnerThatIsGoneIsNoContent) {
  const TempDir dir;
  kill_and_wait(start_run(dir / "run"));
  EXPECT_TRUE(fs::exists(dir / "run/.owner"));
  write_epoch(RunDir::create(dir / "run", false));
  EXPECT_FALSE(fs::exists(dir / "run/.owner"));
  kill_and_wait(start_run(dir / "run"));
  EXPECT_ERROR(RunDir::create(dir / "run", false), "holds a run already", "--force");
  EXPECT_TRUE(fs::exists(dir / "run/.owner")) << "what is refused is not touched";
  RunDir run = RunDir::create(dir / "run", true);
  write_epoch(run);
  run.promote();
  EXPECT_TRUE(fs::exists(dir / "run/.owner")) << "of the run that was promoted";
}

TEST(RunDir, AFolderOfAnotherHostIsTakenOnlyWhereTold) {
  const TempDir dir;
  make_finished_run(dir / "run");
  OwnerRecord owner = owner_of_now();
  owner.host = "node7";
  write_file_atomically(dir / "run/.owner", to_text(owner));
  for (const bool force : {false, true})
    EXPECT_ERROR(RunDir::create(dir / "run", force), "on node7", "--take-over");
  EXPECT_ERROR(RunDir::create(dir / "run", false, /*take_over=*/true), "holds a run already");
  EXPECT_TRUE(fs::exists(dir / "run/.owner"));
  static_cast<void>(RunDir::create(dir / "run", true, /*take_over=*/true));
  EXPECT_FALSE(fs::exists(dir / "run/.owner"));
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

TEST(RunDir, AppendThroughALinkIsAnErrorAndTouchesNothing) {
  const TempDir dir;
  const RunDir run = RunDir::create(dir / "run", false);
  write_file_atomically(dir / "mine", "mine");
  fs::create_symlink(dir / "mine", run.file(RunDir::kMetrics));
  EXPECT_ERROR(run.append_line(RunDir::kMetrics, {{"epoch", 1}}), "metrics.jsonl: cannot write");
  EXPECT_EQ(read_file(dir / "mine"), "mine");
}

TEST(RunDir, AppendToAFolderThatIsGoneIsAnError) {
  const TempDir dir;
  const RunDir run = RunDir::create(dir / "run", false);
  fs::remove_all(dir / "run");
  EXPECT_ERROR(run.append_line(RunDir::kMetrics, {{"epoch", 1}}), "/run: the folder was removed");
}

// Reading a pipe would never end.
TEST(RunDir, APipeInTheFolderIsNoRun) {
  for (const char* name : {"config.toml", "metrics.jsonl"}) {
    const test::TempDir dir;
    ASSERT_EQ(::mkfifo((dir / name).c_str(), 0600), 0);
    EXPECT_ERROR(RunDir::create(dir.path(), true), "holds no run");
  }
}

}  // namespace
}  // namespace spikenm
