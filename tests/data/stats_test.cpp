#include "spikenm/data/stats.h"

#include "spikenm/core/parallel.h"
#include "spikenm/core/random.h"
#include "support/expect_error.h"
#include "support/listed_dataset.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::data {
namespace {

using test::ListedDataset;

ListedDataset image_set() {
  ListedDataset set;
  set.described = {.name = "tiny", .channels = 2, .height = 1, .width = 2, .classes = 3};
  return set;
}

TEST(Stats, ClassesAreCountedInBothParts) {
  ListedDataset set = image_set();
  for (const int64_t label : {2, 0, 2, 2}) set.train.push_back({label, {0, 0, 0, 0}, {}});
  for (const int64_t label : {1, 0}) set.test.push_back({label, {0, 0, 0, 0}, {}});
  const DatasetStats stats = compute_stats(set);
  EXPECT_EQ(stats.train_counts, (std::vector<int64_t>{1, 0, 3}));
  EXPECT_EQ(stats.test_counts, (std::vector<int64_t>{1, 1, 0}));
}

TEST(Stats, PixelMeanAndStdAreOverAllPixelsOfAllTrainImages) {
  ListedDataset set = image_set();
  set.train = {{0, {0, 255, 51, 51}, {}}, {1, {255, 255, 51, 51}, {}}};
  set.test = {{0, {9, 9, 9, 9}, {}}};
  const DatasetStats stats = compute_stats(set);
  ASSERT_EQ(stats.mean.size(), 2u);
  EXPECT_DOUBLE_EQ(stats.mean[0], 0.75);
  EXPECT_DOUBLE_EQ(stats.std[0], std::sqrt(0.75 * 0.25));  // 0, 1, 1, 1: the population's
  EXPECT_DOUBLE_EQ(stats.mean[1], 0.2);
  EXPECT_NEAR(stats.std[1], 0, 1e-9);
  EXPECT_FALSE(stats.recordings.has_value());
}

TEST(Stats, EventCountsAreAveragedOverFramesAndNotScaled) {
  ListedDataset set = image_set();
  set.described.frames = 2;
  set.described.events = true;
  set.train = {{0, {/*t 0*/ 0, 4, 1, 1, /*t 1*/ 0, 0, 3, 3}, {}}};
  const DatasetStats stats = compute_stats(set);
  EXPECT_DOUBLE_EQ(stats.mean[0], 1);
  EXPECT_DOUBLE_EQ(stats.std[0], std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(stats.mean[1], 2);
  EXPECT_DOUBLE_EQ(stats.std[1], 1);
}

TEST(Stats, AnEmptyTrainPartHasNoMean) {
  ListedDataset set = image_set();
  set.raw = std::make_unique<test::ListedRecordings>();
  const DatasetStats stats = compute_stats(set);
  EXPECT_TRUE(stats.mean.empty());
  EXPECT_TRUE(stats.std.empty());
  ASSERT_TRUE(stats.recordings.has_value());
  EXPECT_EQ(stats.recordings->events.mean, 0);
  EXPECT_EQ(stats.recordings->on_share, 0);
}

TEST(Stats, RecordingsAreCountedInEventsSecondsAndPolarity) {
  ListedDataset set = image_set();
  set.described.events = true;
  set.raw = std::make_unique<test::ListedRecordings>();
  set.raw->train.resize(3);  // the second one is empty
  set.raw->train[0].events = {{1'000'000, 0, 0, 1}, {3'000'000, 0, 0, 1}};
  // The times of a file may go back.
  set.raw->train[2].events = {{500'000, 0, 0, 0}, {0, 0, 0, 1}, {1'000'000, 0, 0, 0}, {9, 0, 0, 0}};
  const RecordingStats stats = compute_stats(set).recordings.value();
  EXPECT_DOUBLE_EQ(stats.events.mean, 2);
  EXPECT_EQ(stats.events.min, 0);
  EXPECT_EQ(stats.events.max, 4);
  EXPECT_DOUBLE_EQ(stats.seconds.mean, 1);
  EXPECT_EQ(stats.seconds.min, 0);
  EXPECT_DOUBLE_EQ(stats.seconds.max, 2);
  EXPECT_DOUBLE_EQ(stats.events_per_second, 2);
  EXPECT_DOUBLE_EQ(stats.on_share, 0.5);
}

TEST(Stats, TimesAtTheEndsOfTheClockDoNotOverflow) {
  ListedDataset set = image_set();
  set.raw = std::make_unique<test::ListedRecordings>();
  set.raw->train.resize(1);
  set.raw->train[0].events = {{INT64_MIN, 0, 0, 1}, {INT64_MAX, 0, 0, 1}};
  EXPECT_NEAR(compute_stats(set).recordings->seconds.max, 18446744073709.55, 1);
}

TEST(Stats, SumsAreTheSameBitsWithAnyNumberOfThreads) {
  ListedDataset set = image_set();
  const RandomAddress random(5, 0);
  for (uint64_t i = 0; i < 500; ++i) {
    std::vector<float> values;
    for (uint64_t v = 0; v < 4; ++v)
      values.push_back(static_cast<float>(random.uniform(4 * i + v, 0, 255)));
    set.train.push_back({0, values, {}});
  }
  const int before = threads();
  std::vector<DatasetStats> found;
  for (const int n : {1, 2, 7}) {
    set_threads(n);
    found.push_back(compute_stats(set));
  }
  set_threads(before);
  EXPECT_EQ(found[0].mean, found[1].mean);
  EXPECT_EQ(found[0].mean, found[2].mean);
  EXPECT_EQ(found[0].std, found[2].std);
}

TEST(Stats, ALabelOutOfRangeIsRefused) {
  ListedDataset set = image_set();
  set.test = {{3, {0, 0, 0, 0}, {}}};
  EXPECT_ERROR(compute_stats(set), "tiny: found label 3 on test sample 0", "0 to 2");
}

TEST(Stats, ASampleThatCannotBeReadEndsIt) {
  ListedDataset set = image_set();
  set.train = {{0, {0, 0, 0, 0}, "a.bin: cut short"}};
  EXPECT_ERROR(compute_stats(set), "a.bin: cut short");
}

TEST(Stats, JsonNamesPixelsAndCountsApart) {
  ListedDataset set = image_set();
  set.train = {{1, {0, 255, 0, 255}, {}}};
  const Json pixels = to_json(compute_stats(set), set.info());
  EXPECT_EQ(pixels["name"], "tiny");
  EXPECT_EQ(pixels["shape"], Json({1, 2, 1, 2}));
  EXPECT_EQ(pixels["train_counts"], Json({0, 1, 0}));
  EXPECT_EQ(pixels["pixel_mean"], Json({0.5, 0.5}));
  EXPECT_FALSE(pixels.contains("recordings"));

  set.described.events = true;
  set.raw = std::make_unique<test::ListedRecordings>();
  set.raw->train.resize(1);
  set.raw->train[0].events = {{0, 0, 0, 1}, {1'000'000, 0, 0, 0}};
  const Json counts = to_json(compute_stats(set), set.info());
  EXPECT_EQ(counts["count_mean"], Json({127.5, 127.5}));
  EXPECT_EQ(counts["recordings"]["on_share"], 0.5);
  EXPECT_EQ(counts["recordings"]["events"]["max"], 2);
}

}  // namespace
}  // namespace spikenm::data
