// N-MNIST in SpikingJelly's folders, in Tonic's and bare.
#include "spikenm/data/recording_set.h"
#include "support/dataset_tree.h"
#include "support/event_files.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;
using test::atis_bin_file;
using test::labels_of;
using test::open_set;
using test::put;
using test::TempDir;

// Digit d has d % 3 + 1 train files and one test file.
void put_set(const fs::path& folder) {
  for (int digit = 0; digit < 10; ++digit) {
    for (int i = 0; i <= digit % 3; ++i)
      put(folder / fmt::format("Train/{}/{:05}.bin", digit, 10 * digit + i),
          atis_bin_file(test::some_events(20, 34, 34)));
    put(folder / fmt::format("Test/{}/{:05}.bin", digit, digit),
        atis_bin_file(test::some_events(5, 34, 34)));
  }
}

TEST(NMnist, IsReadFromEveryFolder) {
  for (const char* folder : {"", "extract", "NMNIST"}) {
    const TempDir dir;
    put_set(dir / folder);
    const auto set = open_set("n-mnist", dir.path());
    EXPECT_EQ(labels_of(*set, Part::kTrain),
              (std::vector<int64_t>{0, 1, 1, 2, 2, 2, 3, 4, 4, 5, 5, 5, 6, 7, 7, 8, 8, 8, 9}));
    EXPECT_EQ(labels_of(*set, Part::kTest), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(set->info().shape(), (SampleShape{4, 2, 34, 34}));
    EXPECT_TRUE(set->info().events);
    EXPECT_EQ(set->files().size(), 29u);
  }
}

TEST(NMnist, EventsAndFramesAreThoseOfTheFile) {
  const TempDir dir;
  put_set(dir.path());
  const std::vector<Event> events{{.t = 1, .x = 33, .y = 0, .on = 1},
                                  {.t = 5, .x = 0, .y = 33, .on = 0},
                                  {.t = 9, .x = 0, .y = 33, .on = 0}};
  put(dir / "Train/0/00000.bin", atis_bin_file(events));
  const auto set = open_set("n-mnist", dir.path(), {}, 2);
  Recording recording;
  set->recordings()->load(Part::kTrain, 0, recording);
  EXPECT_EQ(recording.events, events);
  EXPECT_EQ(recording.width, 34);
  EXPECT_EQ(recording.height, 34);
  EXPECT_EQ(set->recordings()->name(Part::kTrain, 0), (dir / "Train/0/00000.bin").string());
  std::vector<float> wanted(2 * 2 * 34 * 34);
  wanted[34 * 34 + 33] = 1;           // frame 0, ON, y 0, x 33
  wanted[2 * 34 * 34 + 33 * 34] = 2;  // frame 1, OFF, y 33, x 0
  EXPECT_EQ(test::read_sample(*set, Part::kTrain, 0), wanted);
}

TEST(NMnist, OtherFilesAreLeftAlone) {
  const TempDir dir;
  put_set(dir.path());
  put(dir / "Train/3/.00030.bin", "left by a desktop");
  put(dir / "Train/3/Thumbs.db", "and another");
  put(dir / "Train/readme/a.bin", "no digit");
  EXPECT_EQ(open_set("n-mnist", dir.path())->size(Part::kTrain), 19);
}

TEST(NMnist, WhatIsMissingIsNamed) {
  const TempDir dir;
  EXPECT_ERROR(open_set("n-mnist", dir.path()), dir.path().c_str(), "Train", "extract/", "NMNIST/",
               "garrickorchard.com");
  put_set(dir.path());
  fs::remove_all(dir / "Test/7");
  EXPECT_ERROR(open_set("n-mnist", dir.path()), (dir / "Test").c_str(), "no folder '7'");
  fs::remove_all(dir / "Test");
  EXPECT_ERROR(open_set("n-mnist", dir.path()), (dir / "Test").c_str(), "no folder '0'");
  for (int digit = 0; digit < 10; ++digit)
    fs::create_directories(dir / "Test" / std::to_string(digit));
  EXPECT_ERROR(open_set("n-mnist", dir.path()), (dir / "Test").c_str(), "no .bin files");
}

TEST(NMnist, BadRecordingsAreNamed) {
  const TempDir dir;
  put_set(dir.path());
  const fs::path path = dir / "Train/0/00000.bin";
  const auto expect_bad = [&](const std::string& content, const char* found) {
    put(path, content);
    const auto set = open_set("n-mnist", dir.path());
    EXPECT_ERROR(test::read_sample(*set, Part::kTrain, 0), path.c_str(), found);
    Recording recording;
    EXPECT_ERROR(set->recordings()->load(Part::kTrain, 0, recording), path.c_str(), found);
  };
  expect_bad(atis_bin_file(test::some_events(3, 34, 34)) + "x", "cut short");
  expect_bad("", "no events");
  expect_bad(test::atis_word(34, 0, 1, 1), "x 34, y 0, outside the 34 x 34 sensor");
  expect_bad(test::atis_word(0, 34, 1, 1), "x 0, y 34");
  const auto set = open_set("n-mnist", dir.path());
  fs::remove(path);
  EXPECT_ERROR(test::read_sample(*set, Part::kTrain, 0), path.c_str(), "No such file");
}

TEST(NMnist, RealRecordingsHoldWholeEvents) {
  const fs::path root = test::real_root("SPIKENM_TEST_NMNIST");
  if (root.empty()) GTEST_SKIP() << "SPIKENM_TEST_NMNIST names no folder";
  const auto set = open_set("n-mnist", root);
  Recording recording;
  for (const Part part : {Part::kTrain, Part::kTest}) {
    ASSERT_GE(set->size(part), 100);
    for (int64_t i = 0; i < set->size(part); ++i) {
      const std::string name = set->recordings()->name(part, i);
      set->recordings()->load(part, i, recording);
      EXPECT_GT(recording.events.size(), 500u) << name;
      EXPECT_TRUE(std::is_sorted(recording.events.begin(), recording.events.end(),
                                 [](const Event& a, const Event& b) { return a.t < b.t; }))
          << name;
      // Three saccades of 100 ms each.
      EXPECT_GT(recording.events.back().t, 250'000) << name;
      EXPECT_LT(recording.events.back().t, 350'000) << name;
    }
  }
}

}  // namespace
}  // namespace spikenm::data
