#include "support/class_folder_files.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <numeric>

namespace spikenm::data {
namespace {

using test::atis_bin_file;
using test::open_set;
using test::put;
using test::read_sample;
using test::some_events;
using test::TempDir;

double sum(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(EventFolder, FormatsMayBeMixedAndTheSensorIsTheFiles) {
  const TempDir dir;
  test::put_event_folder(dir.path());
  put(dir / "1/a.bin", atis_bin_file(some_events(40, 34, 34)));
  const auto set = open_set("event-folder", dir.path());
  EXPECT_EQ(set->info().shape(), (SampleShape{4, 2, 128, 128}));
  EXPECT_EQ(set->size(Part::kTrain) + set->size(Part::kTest), 9);
  for (int64_t i = 0; i < set->size(Part::kTrain); ++i)
    EXPECT_GE(sum(read_sample(*set, Part::kTrain, i)), 20);
}

TEST(EventFolder, TheSensorIsThatOfTheFilesThatSayItWhicheverComesFirst) {
  const TempDir dir;
  test::put_event_folder(dir.path());
  for (const char* name : {"0", "1"})
    put(dir / name / "a.bin", atis_bin_file(some_events(40, 34, 34)));
  for (int seed = 0; seed < 8; ++seed)
    EXPECT_EQ(open_set("event-folder", dir.path(), {fmt::format("split='random:{}'", seed)})
                  ->info()
                  .shape(),
              (SampleShape{4, 2, 128, 128}));
  put(dir / "0/a.bin", "");  // what is damaged does not keep the others from being used
  EXPECT_EQ(open_set("event-folder", dir.path())->info().shape(), (SampleShape{4, 2, 128, 128}));
}

TEST(EventFolder, AKeySaysTheSensorWhereNoFileDoes) {
  const TempDir dir;
  for (const char* name : {"a", "b"})
    for (const char* file : {"1.bin", "2.bin"})
      put(dir / name / file, atis_bin_file(some_events(30, 34, 20)));
  EXPECT_ERROR(open_set("event-folder", dir.path()), "data.sensor: not set", "1.bin",
               "does not say how large its sensor is");
  const auto set = open_set("event-folder", dir.path(), {"sensor=34x20"});
  EXPECT_EQ(set->info().shape(), (SampleShape{4, 2, 20, 34}));
  EXPECT_EQ(sum(read_sample(*set, Part::kTest, 0)), 30);
  EXPECT_EQ(open_set("event-folder", dir.path(), {"sensor=34x20", "resize=16"})->info().shape(),
            (SampleShape{4, 2, 16, 16}));
  for (const char* bad :
       {"sensor='34'", "sensor='34x'", "sensor='x20'", "sensor='0x20'", "sensor='34x5000'"})
    EXPECT_ERROR(open_set("event-folder", dir.path(), {bad}), "data.sensor: found '",
                 "wanted width x height");
}

TEST(EventFolder, ARecordingThatDoesNotFitIsNamed) {
  const TempDir dir;
  test::put_event_folder(dir.path());
  for (int i = 0; i < 4; ++i) put(dir / fmt::format("1/{}.aedat", i), "not events, but text");
  const auto set = open_set("event-folder", dir.path());
  EXPECT_ERROR(read_sample(*set, Part::kTest, 1), ".aedat: not an event file: it holds text");
  const auto small = open_set("event-folder", dir.path(), {"sensor=64x64"});
  EXPECT_ERROR(read_sample(*small, Part::kTest, 0),
               ".aedat: found a sensor of 128x128, wanted 64x64");
}

}  // namespace
}  // namespace spikenm::data
