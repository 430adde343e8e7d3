#include "spikenm/data/recording_set.h"

#include "support/counted_dataset.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <thread>

namespace spikenm::data {
namespace {

constexpr int64_t kHeight = 4, kWidth = 6;

DatasetInfo sensor_info() {
  return {.name = "sensor", .height = kHeight, .width = kWidth, .classes = 1, .split = "halves"};
}

// Recording i has 8 events of pixel (i mod width, i mod height), one every 10 µs.
std::unique_ptr<test::ListedRecordings> recordings_of(int n) {
  auto recordings = std::make_unique<test::ListedRecordings>();
  for (int i = 0; i < n; ++i) {
    Recording& recording = recordings->train.emplace_back();
    for (int64_t k = 0; k < 8; ++k)
      recording.events.push_back({.t = 10 * k,
                                  .x = static_cast<uint16_t>(i % kWidth),
                                  .y = static_cast<uint16_t>(i % kHeight),
                                  .on = static_cast<uint8_t>(k % 2)});
  }
  return recordings;
}

std::unique_ptr<Dataset> dataset_of(int n, const FrameOptions& options) {
  return make_frame_dataset(recordings_of(n), sensor_info(), options, "sensor 1");
}

TEST(FrameDataset, DescribesItsFrames) {
  const auto dataset = dataset_of(3, {.frames = 4});
  EXPECT_EQ(dataset->info().shape(), (SampleShape{4, 2, kHeight, kWidth}));
  EXPECT_TRUE(dataset->info().events);
  EXPECT_EQ(dataset->size(Part::kTrain), 3);
  EXPECT_EQ(dataset->size(Part::kTest), 0);
  ASSERT_NE(dataset->recordings(), nullptr);
  EXPECT_EQ(dataset->recordings()->name(Part::kTrain, 2), "recording_2.bin");
}

TEST(FrameDataset, IntegratesTheRecordingItIsAskedFor) {
  const auto dataset = dataset_of(6, {.frames = 2});
  for (int64_t i : {5, 0, 3}) {
    const std::vector<float> values = test::values_of(*dataset, Part::kTrain, i);
    const int64_t plane = kHeight * kWidth, pixel = i % kHeight * kWidth + i % kWidth;
    for (int64_t p = 0; p < 4; ++p) EXPECT_EQ(values[static_cast<size_t>(p * plane + pixel)], 2);
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0f), 8);
  }
}

TEST(FrameDataset, OnePolarityIsOneChannel) {
  const auto dataset = dataset_of(1, {.frames = 2, .polarities = 1});
  EXPECT_EQ(dataset->info().channels, 1);
  EXPECT_EQ(test::values_of(*dataset, Part::kTrain, 0)[0], 4);
}

TEST(FrameDataset, AnEmptyRecordingIsBlankFrames) {
  auto recordings = std::make_unique<test::ListedRecordings>();
  recordings->train.resize(1);
  const auto dataset = make_frame_dataset(std::move(recordings), sensor_info(), {.frames = 2}, "");
  EXPECT_EQ(test::values_of(*dataset, Part::kTrain, 0), std::vector<float>(96, 0.0f));
}

TEST(FrameDataset, ResizesAfterCounting) {
  const auto dataset = dataset_of(1, {.frames = 2, .resize = 2});
  EXPECT_EQ(dataset->info().shape(), (SampleShape{2, 2, 2, 2}));
  // 2 events in the corner of each plane. The triangle filter gives the corner pixel 3/7 of the
  // first of two rows, (3/4) / (3/4 + 3/4 + 1/4), and 1/4 of the first of two columns.
  const std::vector<float> values = test::values_of(*dataset, Part::kTrain, 0);
  for (size_t p = 0; p < 4; ++p) {
    EXPECT_NEAR(values[4 * p], 2 * 3.0 / 7 / 4, 1e-6);
    for (size_t i = 1; i < 4; ++i) EXPECT_EQ(values[4 * p + i], 0);
  }
}

TEST(FrameDataset, ResizeLeavesAnEvenPictureEven) {
  auto recordings = std::make_unique<test::ListedRecordings>();
  Recording& recording = recordings->train.emplace_back();
  for (uint16_t y = 0; y < kHeight; ++y)
    for (uint16_t x = 0; x < kWidth; ++x)
      for (int k = 0; k < 3; ++k) recording.events.push_back({.x = x, .y = y, .on = 1});
  const auto dataset =
      make_frame_dataset(std::move(recordings), sensor_info(), {.frames = 1, .resize = 5}, "");
  const std::vector<float> values = test::values_of(*dataset, Part::kTrain, 0);
  ASSERT_EQ(values.size(), 50u);
  for (size_t i = 0; i < 25; ++i) {
    EXPECT_EQ(values[i], 0);
    EXPECT_NEAR(values[25 + i], 3, 1e-5);
  }
}

void expect_refused(const Event& event, const char* found) {
  auto recordings = recordings_of(2);
  recordings->train[1].events[3] = event;
  const auto dataset = make_frame_dataset(std::move(recordings), sensor_info(), {.frames = 2}, "");
  EXPECT_NO_THROW(test::values_of(*dataset, Part::kTrain, 0));
  EXPECT_ERROR(test::values_of(*dataset, Part::kTrain, 1), "recording_1.bin", found, "wanted");
}

TEST(FrameDataset, AnEventOffTheSensorNamesTheRecording) {
  expect_refused({.x = kWidth, .y = 0}, "x 6");
  expect_refused({.x = 0, .y = kHeight}, "y 4");
  expect_refused({.x = 65535, .y = 65535}, "x 65535 and y 65535");
}

TEST(FrameDataset, ATimeThatCannotBeSubtractedNamesTheRecording) {
  expect_refused({.t = INT64_MAX}, "2^60");
  expect_refused({.t = INT64_MIN}, "2^60");
}

TEST(FrameDataset, APolarityBeyondOneNamesTheRecording) {
  expect_refused({.on = 2}, "polarity of 2");
  expect_refused({.on = 255}, "polarity of 255");
}

TEST(FrameDataset, TheCacheKeyTellsEveryOptionApart) {
  std::set<std::string> keys;
  const auto add = [&](const FrameOptions& options, DatasetInfo info, const std::string& key) {
    keys.insert(make_frame_dataset(recordings_of(1), std::move(info), options, key)->cache_key());
  };
  add({.frames = 4}, sensor_info(), "sensor 1");
  add({.frames = 5}, sensor_info(), "sensor 1");
  add({.frames = 4, .rule = FrameRule::kTime}, sensor_info(), "sensor 1");
  add({.frames = 4, .binary = true}, sensor_info(), "sensor 1");
  add({.frames = 4, .polarities = 1}, sensor_info(), "sensor 1");
  add({.frames = 4, .resize = 2}, sensor_info(), "sensor 1");
  add({.frames = 4}, sensor_info(), "sensor 2");
  DatasetInfo other = sensor_info();
  other.split = "thirds";
  add({.frames = 4}, other, "sensor 1");
  other = sensor_info();
  ++other.width;
  add({.frames = 4}, other, "sensor 1");
  EXPECT_EQ(keys.size(), 9u);
  add({.frames = 4}, sensor_info(), "sensor 1");
  EXPECT_EQ(keys.size(), 9u);
}

TEST(FrameDataset, ServesManyThreads) {
  for (const int64_t resize : {0, 3}) {
    const auto dataset = dataset_of(24, {.frames = 2, .resize = resize});
    std::vector<std::vector<float>> wanted;
    for (int64_t i = 0; i < 24; ++i) wanted.push_back(test::values_of(*dataset, Part::kTrain, i));
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int64_t k = 0; k < 240; ++k) {
          const int64_t i = (k + 7 * t) % 24;
          if (test::values_of(*dataset, Part::kTrain, i) != wanted[static_cast<size_t>(i)]) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace spikenm::data
