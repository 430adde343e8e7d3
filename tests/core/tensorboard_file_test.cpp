#include "spikenm/core/tensorboard_file.h"

#include "spikenm/core/event_records.h"
#include "spikenm/core/file.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// The steps of all values, file after file as TensorBoard reads them.
std::vector<int64_t> steps_in(const fs::path& folder) {
  std::vector<int64_t> steps;
  for (const fs::path& file : files_in(folder)) {
    const std::string content = read_file(file);
    size_t n_bytes = 0;
    for (const EventRecord& record : whole_records(as_bytes(content))) {
      EXPECT_EQ(record.is_version, n_bytes == 0);
      if (!record.is_version) steps.push_back(record.step);
      n_bytes += record.bytes.size();
    }
    EXPECT_EQ(n_bytes, content.size()) << file;
  }
  return steps;
}

void write_steps(const fs::path& folder, const std::vector<int64_t>& steps) {
  TensorBoardFile file(folder);
  for (const int64_t step : steps) file.add("loss", step, 1.5, 0.25);
}

using Steps = std::vector<int64_t>;

TEST(TensorBoardFile, IsNamedAsTensorBoardWantsIt) {
  const TempDir dir;
  write_steps(dir / "a/b", {1});
  const std::string name = files_in(dir / "a/b").at(0).filename().string();
  EXPECT_TRUE(name.starts_with("events.out.tfevents.1")) << name;
  EXPECT_TRUE(name.ends_with("." + std::to_string(::getpid()))) << name;
}

TEST(TensorBoardFile, WithoutValuesThereIsNoFile) {
  const TempDir dir;
  TensorBoardFile file(dir / "tb");
  file.flush();
  file.cut_after(3);
  EXPECT_FALSE(fs::exists(dir / "tb"));
}

TEST(TensorBoardFile, HoldsWhatWasFlushed) {
  const TempDir dir;
  TensorBoardFile file(dir.path());
  file.add("loss", 1, 0, 0.5);
  EXPECT_TRUE(fs::is_empty(dir.path()));
  file.flush();
  file.add("loss", 2, 0, 0.5);
  EXPECT_EQ(steps_in(dir.path()), (Steps{1}));
  file.flush();
  file.flush();
  EXPECT_EQ(steps_in(dir.path()), (Steps{1, 2}));
  EXPECT_EQ(files_in(dir.path()).size(), 1u);
}

TEST(TensorBoardFile, ManyValuesAreNotKeptWaiting) {
  const TempDir dir;
  TensorBoardFile file(dir.path());
  for (int64_t step = 0; step < 5000; ++step) file.add("loss", step, 0, 0.5);
  EXPECT_GT(steps_in(dir.path()).size(), 3000u);
}

TEST(TensorBoardFile, EachRunThatGoesOnHasAFileBehindTheOthers) {
  const TempDir dir;
  for (int64_t run = 0; run < 12; ++run) write_steps(dir.path(), {run});
  EXPECT_EQ(steps_in(dir.path()), (Steps{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(files_in(dir.path()).size(), 12u);
}

TEST(TensorBoardFile, AfterACutNothingIsDoubled) {
  const TempDir dir;
  write_steps(dir.path(), {1, 2, 3});
  write_steps(dir.path(), {4, 5, 6});
  write_steps(dir.path(), {7, 8});
  TensorBoardFile file(dir.path());
  file.cut_after(5);
  EXPECT_EQ(steps_in(dir.path()), (Steps{1, 2, 3, 4, 5}));
  EXPECT_EQ(files_in(dir.path()).size(), 2u) << "a file without values goes";
  for (const int64_t step : {6, 7}) file.add("loss", step, 0, 1);
  file.flush();
  EXPECT_EQ(steps_in(dir.path()), (Steps{1, 2, 3, 4, 5, 6, 7}));
  file.cut_after(6);
  file.add("loss", 7, 0, 1);
  file.flush();
  EXPECT_EQ(steps_in(dir.path()), (Steps{1, 2, 3, 4, 5, 6, 7}));
  file.cut_after(-1);
  EXPECT_TRUE(fs::is_empty(dir.path()));
  file.add("loss", 1, 0, 1);
  file.flush();
  EXPECT_EQ(steps_in(dir.path()), (Steps{1}));
}

TEST(TensorBoardFile, ACutThatDropsNothingLeavesTheFileAlone) {
  const TempDir dir;
  write_steps(dir.path(), {1, 2});
  const fs::path file = files_in(dir.path()).at(0);
  const auto link = dir / "same";
  fs::create_hard_link(file, link);
  TensorBoardFile(dir.path()).cut_after(2);
  EXPECT_TRUE(fs::equivalent(file, link));
}

TEST(TensorBoardFile, WhatACrashCutOffIsDropped) {
  const TempDir whole;
  write_steps(whole.path(), {1, 2, 3});
  const fs::path source = files_in(whole.path()).at(0);
  const std::string content = read_file(source);
  const size_t before = content.size() - scalar_record("loss", 3, 1.5, 0.25F).size();
  for (const size_t size : {before + 1, content.size() - 1}) {
    const TempDir dir;
    write_file_atomically(dir / source.filename().string(), content.substr(0, size));
    write_file_atomically(dir / (source.filename().string() + ".part01ff"), content);
    TensorBoardFile(dir.path()).cut_after(10);
    EXPECT_EQ(steps_in(dir.path()), (Steps{1, 2}));
  }
}

TEST(TensorBoardFile, OthersFilesStay) {
  const TempDir dir;
  write_file_atomically(dir / "notes.txt", "mine");
  write_steps(dir.path(), {1});
  TensorBoardFile(dir.path()).cut_after(-1);
  EXPECT_EQ(files_in(dir.path()), std::vector<fs::path>{dir / "notes.txt"});
}

TEST(TensorBoardFile, AFolderThatCannotBeMadeIsAnError) {
  const TempDir dir;
  write_file_atomically(dir / "f", "");
  TensorBoardFile file(dir / "f/tb");
  file.add("loss", 1, 0, 0.5);
  EXPECT_ERROR(file.flush(), "f/tb", "Not a directory");
}

}  // namespace
}  // namespace spikenm
