// DVS128 Gesture: trials cut from AEDAT 3.1 files, SpikingJelly's stages and Tonic's tree.
#include "spikenm/data/open.h"
#include "spikenm/data/recording_set.h"
#include "support/dataset_tree.h"
#include "support/event_files.h"
#include "support/expect_error.h"
#include "support/numpy_files.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;
using test::labels_of;
using test::open_set;
using test::put;
using test::read_sample;
using test::TempDir;

constexpr const char* kHeading = "class,startTime_usec,endTime_usec\n";

// An event every 10 µs from `start` on.
std::vector<Event> steady_events(int n, int64_t start) {
  std::vector<Event> events = test::some_events(static_cast<size_t>(n), 128, 128);
  for (size_t i = 0; i < events.size(); ++i) events[i].t = start + 10 * static_cast<int64_t>(i);
  return events;
}

std::vector<Event> within(const std::vector<Event>& events, int64_t begin, int64_t end) {
  std::vector<Event> inside;
  for (const Event& e : events)
    if (e.t >= begin && e.t < end) inside.push_back(e);
  return inside;
}

std::vector<Event> load(const Dataset& set, Part part, int64_t index) {
  Recording recording;
  set.recordings()->load(part, index, recording);
  EXPECT_EQ(recording.width, 128);
  EXPECT_EQ(recording.height, 128);
  return recording.events;
}

// Two files to train on, one to test on, each with two trials.
void put_trials(const fs::path& folder) {
  for (const char* user : {"user01_led", "user02_lab", "user24_led"}) {
    put(folder / fmt::format("{}.aedat", user), test::aedat3_file(steady_events(500, 1000)));
    put(folder / fmt::format("{}_labels.csv", user),
        std::string(kHeading) + "1,1000,3000\n11,4000,5000\n");
  }
  put(folder / "trials_to_train.txt", "user01_led.aedat\nuser02_lab.aedat\n");
  put(folder / "trials_to_test.txt", "user24_led.aedat\n");
}

TEST(DvsGesture, TrialsAreReadFromEveryFolder) {
  for (const char* folder : {"extract/DvsGesture", "DvsGesture", ""}) {
    const TempDir dir;
    put_trials(dir / folder);
    const auto set = open_set("dvs-gesture", dir.path());
    EXPECT_EQ(labels_of(*set, Part::kTrain), (std::vector<int64_t>{0, 10, 0, 10}));
    EXPECT_EQ(labels_of(*set, Part::kTest), (std::vector<int64_t>{0, 10}));
    EXPECT_EQ(set->info().shape(), (SampleShape{4, 2, 128, 128}));
    EXPECT_EQ(set->files().size(), 8u);  // three recordings, their tables, the lists
    EXPECT_EQ(set->info().official_train, 1176);
    EXPECT_EQ(set->info().official_test, 288);
    EXPECT_EQ(load(*set, Part::kTest, 1), within(steady_events(500, 1000), 4000, 5000));
    EXPECT_EQ(set->recordings()->name(Part::kTest, 1),
              (dir / folder / "user24_led.aedat").string() + " (4000 to 5000 µs)");
  }
}

TEST(DvsGesture, ATrialIsHalfOpenAndMayRepeatOrOverlapOthers) {
  const TempDir dir;
  put_trials(dir.path());
  put(dir / "user01_led_labels.csv",
      std::string(kHeading) + "9,1000,2000\n9,1500,2500\n3,2000,2010\n9,3005,3006000\n");
  const auto set = open_set("dvs-gesture", dir.path());
  const std::vector<Event> events = steady_events(500, 1000);
  EXPECT_EQ(labels_of(*set, Part::kTrain), (std::vector<int64_t>{8, 8, 2, 8, 0, 10}));
  EXPECT_EQ(load(*set, Part::kTrain, 0), within(events, 1000, 2000));
  EXPECT_EQ(load(*set, Part::kTrain, 1), within(events, 1500, 2500));
  EXPECT_EQ(load(*set, Part::kTrain, 2), (std::vector<Event>{events[100]}));
  EXPECT_EQ(load(*set, Part::kTrain, 3), within(events, 3010, 6000));
}

TEST(DvsGesture, LinesMayEndAsOnWindowsAndBeEmpty) {
  const TempDir dir;
  put_trials(dir.path());
  put(dir / "trials_to_train.txt", "user01_led.aedat\r\n\r\n  \r\nuser02_lab.aedat");
  put(dir / "user01_led_labels.csv",
      "class,startTime_usec,endTime_usec\r\n1, 1000,3000\r\n\r\n2,4000,5000 \r\n");
  const auto set = open_set("dvs-gesture", dir.path());
  EXPECT_EQ(labels_of(*set, Part::kTrain), (std::vector<int64_t>{0, 1, 0, 10}));
  EXPECT_EQ(load(*set, Part::kTrain, 1), within(steady_events(500, 1000), 4000, 5000));
}

TEST(DvsGesture, ATrialMayCrossTheOverflowOfTheClock) {
  const TempDir dir;
  put_trials(dir.path());
  constexpr int64_t kWrap = int64_t{1} << 31;
  const std::vector<Event> events = steady_events(500, kWrap - 2000);
  put(dir / "user01_led.aedat", test::aedat3_file(events));
  put(dir / "user01_led_labels.csv", fmt::format("{}1,{},{}\n2,{},{}\n", kHeading, kWrap - 1000,
                                                 kWrap + 1000, kWrap + 1000, kWrap + 1500));
  const auto set = open_set("dvs-gesture", dir.path());
  EXPECT_EQ(load(*set, Part::kTrain, 0), within(events, kWrap - 1000, kWrap + 1000));
  EXPECT_EQ(load(*set, Part::kTrain, 1).size(), 50u);
}

TEST(DvsGesture, FramesAreOfTheTrialAlone) {
  const TempDir dir;
  put_trials(dir.path());
  const auto set = open_set("dvs-gesture", dir.path(), {}, 2);
  std::vector<float> wanted(2 * 2 * 128 * 128);
  integrate(within(steady_events(500, 1000), 4000, 5000), {.frames = 2}, 128, 128, wanted.data());
  EXPECT_EQ(read_sample(*set, Part::kTrain, 1), wanted);
}

// Class 0 to 10, `n` files each, as SpikingJelly names them.
void put_npz(const fs::path& folder, const std::string& content, int n) {
  for (int label = 0; label < 11; ++label)
    for (int i = 0; i < n; ++i)
      put(folder / fmt::format("{}/user{:02}_led_0.npz", label, i + 1), content);
}

TEST(DvsGesture, SpikingJellysEventsAreTakenAsTheyAre) {
  const TempDir dir;
  const std::vector<Event> events = steady_events(30, 80'048'239);
  put_npz(dir / "events_np/train", test::npz_events(events, true), 2);
  put_npz(dir / "events_np/test", test::npz_events(events, false), 1);
  const auto set = open_set("dvs-gesture", dir.path());
  EXPECT_EQ(set->size(Part::kTrain), 22);
  EXPECT_EQ(set->label(Part::kTrain, 5), 2);
  EXPECT_EQ(labels_of(*set, Part::kTest), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(load(*set, Part::kTrain, 21), events);
  EXPECT_EQ(load(*set, Part::kTest, 0), events);
}

TEST(DvsGesture, StoredFramesServeWhenTheirNumberAndRuleMatch) {
  const TempDir dir;
  put_npz(dir / "events_np/train", test::npz_events(steady_events(30, 0), true), 1);
  put_npz(dir / "events_np/test", test::npz_events(steady_events(30, 0), true), 1);
  const std::vector<float> stored(2 * 2 * 128 * 128, 3);
  put_npz(dir / "frames_number_2_split_by_time/train", test::npz_frames(stored, 2), 1);
  put_npz(dir / "frames_number_2_split_by_time/test", test::npz_frames(stored, 2), 1);
  const auto by_time = open_set("dvs-gesture", dir.path(), {"frames_by=time"}, 2);
  EXPECT_EQ(read_sample(*by_time, Part::kTest, 10), stored);
  EXPECT_EQ(by_time->label(Part::kTest, 10), 10);
  EXPECT_FALSE(by_time->info().mirrored.empty());
  EXPECT_NE(read_sample(*open_set("dvs-gesture", dir.path(), {}, 2), Part::kTest, 10), stored);
}

TEST(DvsGesture, TonicsTreeIsReadInMilliseconds) {
  for (const char* folder : {"DVSGesture", ""}) {
    const TempDir dir;
    const std::vector<Event> events = steady_events(30, 5000);
    for (const char* user : {"user02_lab", "user01_fluorescent_led"})
      for (const int label : {0, 2, 10})
        put(dir / folder / fmt::format("ibmGestureTrain/{}/{}.npy", user, label),
            test::tonic_npy(events));
    put(dir / folder / "ibmGestureTest/user24_led/7.npy", test::tonic_npy(events));
    put(dir / folder / "ibmGestureTrain/readme.txt", "no folder");
    const auto set = open_set("dvs-gesture", dir.path());
    EXPECT_EQ(labels_of(*set, Part::kTrain), (std::vector<int64_t>{0, 10, 2, 0, 10, 2}));
    EXPECT_EQ(labels_of(*set, Part::kTest), (std::vector<int64_t>{7}));
    EXPECT_NE(set->recordings()->name(Part::kTrain, 0).find("user01"), std::string::npos);
    EXPECT_EQ(load(*set, Part::kTest, 0), events);
    EXPECT_EQ(set->info().official_train, 1077);
    EXPECT_EQ(set->info().official_test, 264);
  }
}

TEST(DvsGesture, AMirrorSwapsLeftAndRightAndTheSenseOfTurning) {
  const TempDir dir;
  put_trials(dir.path());
  const DatasetInfo info = open_set("dvs-gesture", dir.path())->info();
  ASSERT_EQ(info.mirrored.size(), 11u);
  ASSERT_EQ(info.class_names.size(), 11u);
  const auto swap_words = [](std::string text, const std::string& a, const std::string& b) {
    if (const size_t at = text.find(a); at != std::string::npos)
      return text.replace(at, a.size(), b);
    if (const size_t at = text.find(b); at != std::string::npos)
      return text.replace(at, b.size(), a);
    return text;
  };
  for (size_t label = 0; label < 11; ++label) {
    const auto mirror = static_cast<size_t>(info.mirrored[label]);
    EXPECT_EQ(info.mirrored[mirror], static_cast<int64_t>(label));
    std::string name = swap_words(info.class_names[label], "left", "right");
    name = swap_words(name, " counter clockwise", " clockwise");
    EXPECT_EQ(info.class_names[mirror], name);
  }
}

TEST(DvsGesture, FlipsAreOffUnlessToldWhatBecomesOfLabels) {
  const TempDir dir;
  put_trials(dir.path());
  const DatasetInfo info = open_set("dvs-gesture", dir.path())->info();
  const auto augmented = [&](const std::string& text) {
    Sample sample{.shape = info.shape(), .values = {}, .label = 1};  // right hand wave
    sample.values.assign(static_cast<size_t>(info.sample_size()), 0);
    sample.values[0] = 1;
    const Config config = Config::from_text(text, "test");
    read_pipelines(config, info).train.augment->apply(sample, 1, 0, 0);
    return sample;
  };
  EXPECT_TRUE(read_pipelines(Config(), info).train.augment->empty());
  const Sample swapped = augmented("augment = ['flip:label-swap:1']");
  EXPECT_EQ(swapped.label, 2);
  EXPECT_EQ(swapped.values[127], 1);
  const Sample literal = augmented("augment = ['flip:upr-literal:1']");
  EXPECT_EQ(literal.label, 1);
  EXPECT_EQ(literal.values[127], 1);
  EXPECT_ERROR(augmented("augment = ['flip']"), "augment", "flip:label-swap", "flip:upr-literal");
}

TEST(DvsGesture, WhatIsMissingIsNamed) {
  const TempDir dir;
  EXPECT_ERROR(open_set("dvs-gesture", ""), "data.root", "not set");
  EXPECT_ERROR(open_set("dvs-gesture", dir.path()), dir.path().c_str(), "found no recordings",
               "trials_to_train.txt", "events_np/", "ibmGestureTrain/", "research.ibm.com");
  for (const char* name : {"trials_to_test.txt", "user02_lab.aedat", "user24_led_labels.csv"}) {
    put_trials(dir.path());
    fs::remove(dir / name);
    EXPECT_ERROR(open_set("dvs-gesture", dir.path()), dir.path().c_str(), name);
  }
  const TempDir npz;
  put_npz(npz / "events_np/train", "", 1);
  EXPECT_ERROR(open_set("dvs-gesture", npz.path()), (npz / "events_np/test").c_str(), "folder '0'");
  put_npz(npz / "events_np/test", "", 1);
  fs::remove_all(npz / "events_np/train/10");
  EXPECT_ERROR(open_set("dvs-gesture", npz.path()), (npz / "events_np/train").c_str(),
               "folder '10'");
}

TEST(DvsGesture, BadListsAreNamed) {
  const TempDir dir;
  const auto expect_bad = [&](const std::string& content, const char* found) {
    put_trials(dir.path());
    put(dir / "trials_to_test.txt", content);
    EXPECT_ERROR(open_set("dvs-gesture", dir.path()), (dir / "trials_to_test.txt").c_str(), found);
  };
  expect_bad("user30_led.aedat\n", "names user30_led.aedat, which is not there");
  expect_bad("../user24_led.aedat\n", "found '../user24_led.aedat', wanted the name of an .aedat");
  expect_bad("user24_led.csv\n", "wanted the name of an .aedat file");
  expect_bad("user24_led.aedat\nuser24_led.aedat\n", "already in use");
  expect_bad("user01_led.aedat\n", "already in use");
  expect_bad("", "no files that have trials");
  expect_bad(std::string("\0\1\xff\n", 4), "found '\\x00\\x01\\xff'");
}

TEST(DvsGesture, BadTablesAreNamedWithTheirLine) {
  const TempDir dir;
  const auto expect_bad = [&](const std::string& lines, const char* found) {
    put_trials(dir.path());
    put(dir / "user02_lab_labels.csv", lines);
    EXPECT_ERROR(open_set("dvs-gesture", dir.path()), (dir / "user02_lab_labels.csv").c_str(),
                 found);
  };
  const std::string good = std::string(kHeading) + "1,1000,3000\n";
  expect_bad(good + "two,4000,5000\n", "line 3: found 'two', wanted a whole number");
  expect_bad(good + "2,4000,5e3\n", "line 3: found '5e3'");
  expect_bad(good + "2,4000,99999999999999999999\n", "line 3: found '99999999999999999999'");
  expect_bad(good + "2,,5000\n", "line 3: found ''");
  expect_bad(good + "2,4000\n", "line 3: has 2 columns");
  expect_bad(good + "2,4000,5000,6000\n", "line 3: has 4 columns");
  expect_bad(good + "12,4000,5000\n", "line 3: has the class 12, wanted 1 to 11");
  expect_bad(good + "0,4000,5000\n", "line 3: has the class 0");
  expect_bad(good + "2,5000,5000\n", "line 3: goes from 5000 to 5000");
  expect_bad(good + "2,-1,5000\n", "line 3: goes from -1 to 5000");
  expect_bad("1,1000,3000\n", "begins with '1,1000,3000', wanted the heading");
}

TEST(DvsGesture, BadRecordingsAreNamed) {
  const TempDir dir;
  const fs::path path = dir / "user01_led.aedat";
  const auto expect_bad = [&](const std::string& content, const char* found) {
    put_trials(dir.path());
    put(path, content);
    const auto set = open_set("dvs-gesture", dir.path());
    EXPECT_ERROR(read_sample(*set, Part::kTrain, 1), path.c_str(), found);
  };
  const std::string good = test::aedat3_file(steady_events(500, 1000));
  expect_bad(good.substr(0, good.size() - 5), "cut short");
  expect_bad("", "header");
  expect_bad(test::aedat3_file(steady_events(100, 1000)), "(4000 to 5000 µs): holds no events");
  std::vector<Event> far = steady_events(500, 1000);
  far[350].y = 128;
  expect_bad(test::aedat3_file(far), "y 128, outside the 128 x 128 sensor");
  far[350].y = 0;
  far[10].x = 300;  // in another trial
  put(path, test::aedat3_file(far));
  EXPECT_EQ(load(*open_set("dvs-gesture", dir.path()), Part::kTrain, 1).size(), 100u);
}

TEST(DvsGesture, BadTonicFilesAreNamed) {
  const TempDir dir;
  const std::string good = test::tonic_npy(steady_events(3, 0));
  put(dir / "ibmGestureTrain/user01_led/0.npy", good);
  EXPECT_ERROR(open_set("dvs-gesture", dir.path()), (dir / "ibmGestureTest").c_str());
  fs::create_directories(dir / "ibmGestureTest/user24_led");
  EXPECT_ERROR(open_set("dvs-gesture", dir.path()), (dir / "ibmGestureTest").c_str(),
               "no .npy files");
  for (const char* name : {"11.npy", "-1.npy", "wave.npy", "1x.npy"}) {
    const fs::path path = dir / "ibmGestureTest/user24_led" / name;
    put(path, good);
    EXPECT_ERROR(open_set("dvs-gesture", dir.path()), path.c_str(), "label from 0 to 10");
    fs::remove(path);
  }
  const fs::path path = dir / "ibmGestureTest/user24_led/3.npy";
  const std::vector<Event> far{{.t = 1, .x = 0, .y = 128, .on = 0}};
  for (const std::string& content : {test::tonic_npy(far), good.substr(0, good.size() - 1),
                                     test::tonic_npy({}), std::string()}) {
    put(path, content);
    const auto set = open_set("dvs-gesture", dir.path());
    EXPECT_ERROR(read_sample(*set, Part::kTest, 0), path.c_str());
  }
}

}  // namespace
}  // namespace spikenm::data
