// CIFAR10-DVS in SpikingJelly's three stages, in Tonic's form, and its splits.
#include "spikenm/data/recording_set.h"
#include "support/dataset_tree.h"
#include "support/event_files.h"
#include "support/expect_error.h"
#include "support/numpy_files.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;
using test::open_set;
using test::put;
using test::read_sample;
using test::TempDir;

const std::vector<std::string> kClasses{"airplane", "automobile", "bird",  "cat",  "deer",
                                        "dog",      "frog",       "horse", "ship", "truck"};

std::string file_name(const std::string& name, int number, const std::string& extension) {
  return fmt::format("{0}/cifar10_{0}_{1}{2}", name, number, extension);
}

// Files 0 to n-1 of every class, all with the same content.
void put_set(const fs::path& folder, const std::string& extension, const std::string& content,
             int n = 2) {
  for (const std::string& name : kClasses)
    for (int i = 0; i < n; ++i) put(folder / file_name(name, i, extension), content);
}

// Three events of a DVS128, as numbers in the file and as SpikingJelly turns them.
const std::string kAedat = test::kAedat2Header + test::aedat2_word(100 << 8 | 3 << 1 | 1, 10) +
                           test::aedat2_word(0 << 8 | 127 << 1 | 0, 20) +
                           test::aedat2_word(127 << 8 | 0 << 1 | 0, 30);
const std::vector<Event> kEvents{{.t = 10, .x = 27, .y = 124, .on = 0},
                                 {.t = 20, .x = 127, .y = 0, .on = 1},
                                 {.t = 30, .x = 0, .y = 127, .on = 1}};

// Two frames by number: event 0, then events 1 and 2.
std::vector<float> two_frames() {
  constexpr size_t kPlane = 128 * 128;
  std::vector<float> frames(4 * kPlane);
  frames[124 * 128 + 27] = 1;
  frames[3 * kPlane + 127] = 1;
  frames[3 * kPlane + 127 * 128] = 1;
  return frames;
}

void expect_events(const Dataset& set, const std::vector<Event>& events) {
  ASSERT_NE(set.recordings(), nullptr);
  Recording recording;
  for (const Part part : {Part::kTrain, Part::kTest}) {
    ASSERT_EQ(set.size(part), 10);
    for (int64_t i = 0; i < set.size(part); ++i) {
      EXPECT_EQ(set.label(part, i), i);
      set.recordings()->load(part, i, recording);
      EXPECT_EQ(recording.events, events);
      EXPECT_EQ(recording.width, 128);
      EXPECT_EQ(recording.height, 128);
    }
  }
}

TEST(Cifar10Dvs, AedatFilesAreTurnedAsSpikingJellyTurnsThem) {
  for (const char* folder : {"extract", ""}) {
    const TempDir dir;
    put_set(dir / folder, ".aedat", kAedat);
    const auto set = open_set("cifar10-dvs", dir.path(), {"resize=0"}, 2);
    expect_events(*set, kEvents);
    EXPECT_EQ(set->info().shape(), (SampleShape{2, 2, 128, 128}));
    EXPECT_EQ(read_sample(*set, Part::kTrain, 3), two_frames());
  }
}

TEST(Cifar10Dvs, NpzEventsAreTakenAsTheyAre) {
  for (const bool packed : {false, true}) {
    const TempDir dir;
    put_set(dir / "events_np", ".npz", test::npz_events(kEvents, packed));
    expect_events(*open_set("cifar10-dvs", dir.path()), kEvents);
  }
}

TEST(Cifar10Dvs, TonicsFilesAreTakenAsTheyAre) {
  for (const char* folder : {"CIFAR10DVS", ""}) {
    const TempDir dir;
    put_set(dir / folder, ".aedat4", test::aedat4_file(kEvents, 128, 128));
    expect_events(*open_set("cifar10-dvs", dir.path()), kEvents);
  }
}

TEST(Cifar10Dvs, StoredFramesServeWhenTheirNumberAndRuleMatch) {
  const TempDir dir;
  std::vector<float> stored = two_frames();
  stored[5] = 7;  // so that it shows which were read
  put_set(dir / "extract", ".aedat", kAedat);
  put_set(dir / "frames_number_2_split_by_number", ".npz", test::npz_frames(stored, 2));
  const auto set = open_set("cifar10-dvs", dir.path(), {"resize=0"}, 2);
  EXPECT_EQ(read_sample(*set, Part::kTest, 9), stored);
  EXPECT_EQ(set->label(Part::kTest, 9), 9);
  EXPECT_EQ(set->recordings(), nullptr);
  EXPECT_EQ(set->files().size(), 20u);
  EXPECT_EQ(set->info().shape(), (SampleShape{2, 2, 128, 128}));
  const auto by_time = open_set("cifar10-dvs", dir.path(), {"resize=0", "frames_by=time"}, 2);
  EXPECT_EQ(read_sample(*by_time, Part::kTest, 9)[5], 0);
  EXPECT_NE(by_time->recordings(), nullptr);
  EXPECT_EQ(open_set("cifar10-dvs", dir.path(), {}, 3)->info().frames, 3);
}

TEST(Cifar10Dvs, StoredFramesAreResizedAndCappedAsOthersAre) {
  const TempDir frames, events;
  std::vector<Event> twice = kEvents;
  twice.push_back({.t = 40, .x = 0, .y = 127, .on = 1});
  std::vector<float> stored = two_frames();
  std::swap(stored[3 * 128 * 128 + 127], stored[128 * 128 + 127]);  // two events each
  stored[3 * 128 * 128 + 127 * 128] = 2;
  put_set(frames / "frames_number_2_split_by_number", ".npz", test::npz_frames(stored, 2));
  put_set(events / "events_np", ".npz", test::npz_events(twice, true));
  for (const char* values : {"frame_values=counts", "frame_values=binary"}) {
    const auto a = open_set("cifar10-dvs", frames.path(), {values}, 2);
    const auto b = open_set("cifar10-dvs", events.path(), {values}, 2);
    EXPECT_EQ(a->info().shape(), (SampleShape{2, 2, 48, 48}));
    EXPECT_EQ(read_sample(*a, Part::kTrain, 0), read_sample(*b, Part::kTrain, 0));
  }
  EXPECT_NE(open_set("cifar10-dvs", frames.path(), {}, 2)->cache_key(),
            open_set("cifar10-dvs", frames.path(), {"frame_values=binary"}, 2)->cache_key());
}

TEST(Cifar10Dvs, BadStoredFramesAreNamed) {
  const TempDir dir;
  const fs::path folder = dir / "frames_number_2_split_by_number";
  put_set(folder, ".npz", test::npz_frames(two_frames(), 2));
  const fs::path path = folder / file_name("airplane", 0, ".npz");
  const auto expect_bad = [&](const std::string& content, const char* found) {
    put(path, content);
    const auto set = open_set("cifar10-dvs", dir.path(), {}, 2);
    EXPECT_ERROR(read_sample(*set, Part::kTrain, 0), path.c_str(), found);
  };
  expect_bad(test::npz_frames(std::vector<float>(6 * 128 * 128), 3),
             "[3,2,128,128], wanted [2,2,128,128]");
  expect_bad(test::npz_events(kEvents, false), "wanted 'frames'");
  std::vector<float> frames = two_frames();
  frames[7] = -1;
  expect_bad(test::npz_frames(frames, 2), "a count of -1");
  frames[7] = std::nanf("");
  expect_bad(test::npz_frames(frames, 2), "a count of nan");
  expect_bad("PK", path.c_str());
}

// The numbers of a class's files in one part, in order of size.
std::set<int> numbers(const Dataset& set, Part part, const std::string& name) {
  std::set<int> found;
  for (int64_t i = 0; i < set.size(part); ++i) {
    const std::string stem = fs::path(set.recordings()->name(part, i)).stem().string();
    const std::string prefix = "cifar10_" + name + "_";
    if (stem.starts_with(prefix)) found.insert(std::stoi(stem.substr(prefix.size())));
  }
  return found;
}

// A bird for each number from 0 to 999, ten of every other class; opening reads none of them.
class Cifar10DvsSplit : public testing::Test {
 protected:
  Cifar10DvsSplit() {
    put_set(dir_ / "extract", ".aedat", "", 10);
    for (int i = 0; i < 1000; ++i) put(dir_ / "extract" / file_name("bird", i, ".aedat"), "");
  }
  [[nodiscard]] std::unique_ptr<Dataset> open(const std::string& split) const {
    return open_set("cifar10-dvs", dir_.path(), {"split='" + split + "'"});
  }
  TempDir dir_;
};

TEST_F(Cifar10DvsSplit, UprTestsTheLastTenthByName) {
  const auto set = open_set("cifar10-dvs", dir_.path());
  EXPECT_EQ(set->info().split, "upr");
  std::set<int> wanted;
  for (int i = 91; i <= 99; ++i) wanted.insert(i);
  for (int i = 909; i <= 999; ++i) wanted.insert(i);
  EXPECT_EQ(numbers(*set, Part::kTest, "bird"), wanted);
  EXPECT_EQ(numbers(*set, Part::kTrain, "bird").size(), 900u);
  EXPECT_EQ(numbers(*set, Part::kTest, "truck"), (std::set<int>{9}));
  EXPECT_EQ(set->size(Part::kTrain), 900 + 9 * 9);
  EXPECT_EQ(set->size(Part::kTest), 100 + 9);
}

TEST_F(Cifar10DvsSplit, TebnTestsTheFirstHundredByNumber) {
  const auto set = open("tebn");
  const std::set<int> test = numbers(*set, Part::kTest, "bird");
  EXPECT_EQ(test.size(), 100u);
  EXPECT_EQ(*test.rbegin(), 99);
  EXPECT_EQ(*numbers(*set, Part::kTrain, "bird").begin(), 100);
  EXPECT_EQ(numbers(*set, Part::kTest, "truck").size(), 10u);
  put(dir_ / "extract/bird/cifar10_bird_x1.aedat", "");
  EXPECT_ERROR(open("tebn"), "cifar10_bird_x1.aedat", "no number at the end of its name");
}

TEST_F(Cifar10DvsSplit, RandomIsNineToOneInEveryClassAndGoesByItsSeed) {
  const auto first = open("random:7"), again = open("random:7"), other = open("random:8");
  std::set<std::set<int>> draws;  // of the classes of ten
  for (const std::string& name : kClasses) {
    const std::set<int> train = numbers(*first, Part::kTrain, name);
    const std::set<int> test = numbers(*first, Part::kTest, name);
    const size_t n = name == "bird" ? 1000 : 10;
    EXPECT_EQ(train.size(), n * 9 / 10);
    EXPECT_EQ(test.size(), n / 10);
    std::set<int> both = train;
    both.insert(test.begin(), test.end());
    EXPECT_EQ(both.size(), n) << "a recording is in both parts";
    EXPECT_EQ(numbers(*again, Part::kTest, name), test);
    if (n == 10) draws.insert(test);
  }
  EXPECT_GT(draws.size(), 1u) << "all classes have the same draw";
  EXPECT_NE(numbers(*other, Part::kTest, "bird"), numbers(*first, Part::kTest, "bird"));
  EXPECT_EQ(first->info().split, "random:7");
  EXPECT_NE(first->cache_key(), other->cache_key());
  EXPECT_EQ(first->cache_key(), again->cache_key());
}

TEST_F(Cifar10DvsSplit, UnknownSplitsAreRefused) {
  EXPECT_ERROR(open("official"), "data.split", "official", "upr, tebn or random:SEED");
  for (const char* split : {"random:", "random:x", "random:-1", "random:1 ", "random:1e9",
                            "random:99999999999999999999999"})
    EXPECT_ERROR(open(split), "data.split", split, "whole number");
  EXPECT_ERROR(open("random"), "upr, tebn or random:SEED");
}

TEST(Cifar10Dvs, ASplitThatLeavesNothingIsRefused) {
  const TempDir dir;
  put_set(dir / "extract", ".aedat", kAedat, 1);
  EXPECT_ERROR(open_set("cifar10-dvs", dir.path()), "'upr' leaves 0 recordings for training");
  EXPECT_ERROR(open_set("cifar10-dvs", dir.path(), {"split=tebn"}), "and 10 for testing");
}

TEST(Cifar10Dvs, WhatIsMissingIsNamed) {
  const TempDir dir;
  EXPECT_ERROR(open_set("cifar10-dvs", ""), "data.root", "not set");
  EXPECT_ERROR(open_set("cifar10-dvs", dir.path()), dir.path().c_str(), "found no recordings",
               "events_np/", "CIFAR10DVS/", "figshare.com");
  for (const char* name : {"airplane", "truck"}) {
    put_set(dir / "extract", ".aedat", kAedat);
    fs::remove_all(dir / "extract" / name);
    EXPECT_ERROR(open_set("cifar10-dvs", dir.path()), (dir / "extract").c_str(), name,
                 "10 classes");
  }
}

TEST(Cifar10Dvs, BadRecordingsAreNamed) {
  const auto expect_bad = [](const std::string& folder, const std::string& extension,
                             const std::string& content, const char* found) {
    const TempDir dir;
    put_set(dir / folder, extension, content);
    const auto set = open_set("cifar10-dvs", dir.path());
    const fs::path path = dir / folder / file_name("airplane", 0, extension);
    EXPECT_ERROR(read_sample(*set, Part::kTrain, 0), path.c_str(), found);
  };
  expect_bad("extract", ".aedat", kAedat.substr(0, kAedat.size() - 3), "cut short");
  expect_bad("extract", ".aedat", test::kAedat2Header, "no events");
  expect_bad("extract", ".aedat",
             test::kAedat2DavisHeader +
                 test::aedat2_word(test::davis240_address({.t = 1, .x = 200, .y = 1, .on = 1}), 1),
             "outside the 128 x 128 sensor");
  const std::vector<Event> far{{.t = 1, .x = 128, .y = 0, .on = 0}};
  expect_bad("events_np", ".npz", test::npz_events(far, true), "x 128, y 0, outside the 128 x 128");
  const std::string npz = test::npz_events(kEvents, true);
  expect_bad("events_np", ".npz", npz.substr(0, npz.size() / 2), "airplane");
  expect_bad("CIFAR10DVS", ".aedat4", test::aedat4_file(far, 346, 260), "outside the 128 x 128");
}

}  // namespace
}  // namespace spikenm::data
