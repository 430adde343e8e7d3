#include "spikenm/core/file.h"
#include "spikenm/core/parallel.h"
#include "spikenm/data/recording_set.h"
#include "support/expect_error.h"
#include "support/hdf5_file.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace spikenm::data {

std::unique_ptr<Dataset> open_shd(const Config& config, const DatasetRequest& request);

namespace {

using namespace test;
namespace fs = std::filesystem;

// What a file of the set holds.
struct Spikes {
  std::vector<std::vector<double>> times{{0.0, 0.25, 1.0}, {}, {0.5}};
  std::vector<std::vector<int64_t>> units{{0, 699, 5}, {}, {42}};
  std::vector<int64_t> labels{3, 19, 0};
};

std::string shd_file(const Spikes& spikes) {
  Hdf5Writer writer;
  const uint64_t times = writer.add_rows(hdf5_float64(), spikes.times);
  const uint64_t units = writer.add_rows(hdf5_integer(8, true), spikes.units);
  const uint64_t labels =
      writer.add_dataset(hdf5_integer(8, true), spikes.labels.size(), hdf5_data(spikes.labels));
  const uint64_t group = writer.add_group({{"times", times}, {"units", units}});
  return writer.file(writer.add_group({{"spikes", group}, {"labels", labels}}));
}

Spikes one_spike(double time, int64_t unit, int64_t label) {
  return {.times = {{time}}, .units = {{unit}}, .labels = {label}};
}

class Shd : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& content) const {
    fs::create_directories((dir_ / name).parent_path());
    write_file_atomically(dir_ / name, content);
  }
  [[nodiscard]] std::unique_ptr<Dataset> open(const std::string& more = "",
                                              int64_t frames = 4) const {
    return open_shd(
        Config::from_text(fmt::format("root = '{}'\n{}", dir_.path().string(), more), "test"),
        {.frames = frames});
  }
  // Opens a set whose train file is this one and reads its first sample.
  void read_first(const Spikes& spikes) const {
    put("shd_train.h5", shd_file(spikes));
    put("shd_test.h5", shd_file({}));
    (void)frames_of(*open(), 0);
  }
  static std::vector<float> frames_of(const Dataset& dataset, int64_t index,
                                      Part part = Part::kTrain) {
    std::vector<float> frames(static_cast<size_t>(dataset.info().sample_size()), -1);
    dataset.read(part, index, frames.data());
    return frames;
  }

  TempDir dir_;
};

TEST_F(Shd, RecordingsAreTheRowsOfTheFilesInMicroseconds) {
  put("shd_train.h5", shd_file({}));
  put("shd_test.h5", shd_file(one_spike(1.4e-6, 7, 11)));
  const auto dataset = open();
  EXPECT_EQ(dataset->size(Part::kTrain), 3);
  EXPECT_EQ(dataset->size(Part::kTest), 1);
  EXPECT_EQ(dataset->label(Part::kTrain, 1), 19);
  EXPECT_EQ(dataset->label(Part::kTest, 0), 11);
  const RecordingSet& recordings = *dataset->recordings();
  Recording recording;
  recordings.load(Part::kTrain, 0, recording);
  EXPECT_EQ(recording.events, (std::vector<Event>{{.t = 0, .x = 0, .y = 0, .on = 1},
                                                  {.t = 250'000, .x = 699, .y = 0, .on = 1},
                                                  {.t = 1'000'000, .x = 5, .y = 0, .on = 1}}));
  EXPECT_EQ(recording.width, 700);
  EXPECT_EQ(recording.height, 1);
  recordings.load(Part::kTrain, 1, recording);
  EXPECT_TRUE(recording.events.empty());
  recordings.load(Part::kTest, 0, recording);
  EXPECT_EQ(recording.events, (std::vector<Event>{{.t = 1, .x = 7, .y = 0, .on = 1}}));
  EXPECT_EQ(recordings.name(Part::kTest, 0), (dir_ / "shd_test.h5").string() + " row 0");
}

TEST_F(Shd, SamplesAreTFramesOf700UnitsCutByTime) {
  put("shd_train.h5", shd_file({}));
  put("shd_test.h5", shd_file({}));
  const auto dataset = open();
  const DatasetInfo& info = dataset->info();
  EXPECT_EQ(info.shape(), (SampleShape{.frames = 4, .channels = 1, .height = 1, .width = 700}));
  EXPECT_EQ(info.classes, 20);
  EXPECT_EQ(info.class_names.size(), 20U);
  EXPECT_TRUE(info.events);
  EXPECT_FALSE(info.simulated);
  std::vector<float> wanted(4 * 700, 0);
  wanted[0] = wanted[700 + 699] = wanted[3 * 700 + 5] = 1;
  EXPECT_EQ(frames_of(*dataset, 0), wanted);
  EXPECT_EQ(frames_of(*dataset, 1), std::vector<float>(4 * 700, 0));
  EXPECT_FALSE(dataset->cache_key().empty());
}

TEST_F(Shd, SpikesOutOfOrderAreSortedByTime) {
  Spikes spikes;
  spikes.times[0] = {1.0, 0.0, 0.25};
  spikes.units[0] = {5, 0, 699};
  put("shd_train.h5", shd_file(spikes));
  put("shd_test.h5", shd_file({}));
  const auto dataset = open();
  EXPECT_EQ(frames_of(*dataset, 0), frames_of(*dataset, 0, Part::kTest));
}

TEST_F(Shd, FilesAreFoundInEveryPlaceAndPackedOrNot) {
  const std::string train = shd_file({}), test = shd_file(one_spike(0.1, 2, 3));
  for (const char* folder : {"", "SHD/", "extract/", "download/"}) {
    const auto path = [&](const char* name) { return std::string(folder) + name; };
    put(path("shd_train.h5"), train);
    put(path("shd_test.h5"), test);
    EXPECT_EQ(open()->label(Part::kTest, 0), 3) << folder;
    EXPECT_EQ(open()->files()[0].md5, "") << folder;
    fs::remove(dir_ / path("shd_train.h5"));
    fs::remove(dir_ / path("shd_test.h5"));

    put(path("shd_train.h5.zip"), zip_file({zip_part("shd_train.h5", train, true)}));
    put(path("shd_test.h5.gz"), gzip_file(test));
    const auto packed = open();
    EXPECT_EQ(packed->size(Part::kTrain), 3) << folder;
    EXPECT_EQ(packed->label(Part::kTest, 0), 3) << folder;
    EXPECT_EQ(packed->files()[0].md5, "f3252aeb598ac776c1b526422d90eecb");
    EXPECT_EQ(packed->files()[1].md5, "");
    EXPECT_EQ(frames_of(*packed, 0)[0], 1) << folder;
    fs::remove(dir_ / path("shd_train.h5.zip"));
    fs::remove(dir_ / path("shd_test.h5.gz"));
  }
}

TEST_F(Shd, MissingFilesAreNamedWithWhereTheyCanBeHad) {
  EXPECT_ERROR(open(), dir_.path().c_str(), "shd_train.h5", "SHD/", "extract/", "zenkelab.org");
  put("shd_train.h5", shd_file({}));
  EXPECT_ERROR(open(), "found no shd_test.h5", "zenkelab.org");
  EXPECT_ERROR(open_shd(Config(), {.frames = 4}), "root", "zenkelab.org");
}

TEST_F(Shd, WrongSpikesAreRefusedWithFileAndRow) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double time : {-0.001, inf, -inf, std::nan(""), 1.4e6})
    EXPECT_ERROR(read_first(one_spike(time, 0, 0)), "shd_train.h5 row 0", "spike 0 is at");
  for (const int64_t unit : {int64_t{700}, int64_t{-1}, int64_t{65536}, INT64_MAX})
    EXPECT_ERROR(read_first(one_spike(0, unit, 0)), "shd_train.h5 row 0", "wanted 0 to 699");
  for (const int64_t label : {20, -1})
    EXPECT_ERROR(read_first(one_spike(0, 0, label)), "shd_train.h5 row 0", "wanted 0 to 19");
  Spikes spikes;
  spikes.units[0].pop_back();
  EXPECT_ERROR(read_first(spikes), "shd_train.h5 row 0", "3 times for 2 units");
}

TEST_F(Shd, FilesWhoseListsDoNotAgreeAreRefused) {
  Spikes spikes;
  spikes.labels.pop_back();
  EXPECT_ERROR(read_first(spikes), "shd_train.h5", "3 rows of times and 3 of units for 2 labels");
  spikes = {};
  spikes.times.pop_back();
  EXPECT_ERROR(read_first(spikes), "2 rows of times and 3 of units for 3 labels");

  Hdf5Writer writer;
  const uint64_t flat = writer.add_dataset(hdf5_integer(1, false), 1, "x");
  const uint64_t group = writer.add_group({{"times", flat}, {"units", flat}});
  put("shd_train.h5", writer.file(writer.add_group({{"spikes", group}, {"labels", flat}})));
  EXPECT_ERROR(open(), "shd_train.h5", "wanted a row a recording");
  put("shd_train.h5", writer.file(writer.add_group({{"labels", flat}})));
  EXPECT_ERROR(open(), "shd_train.h5", "found no dataset 'spikes/times'");
}

TEST_F(Shd, DamagedAndForeignFilesAreRefused) {
  const std::string whole = shd_file({});
  put("shd_test.h5", whole);
  put("shd_train.h5", whole.substr(0, whole.size() / 2));
  EXPECT_ERROR(open(), "shd_train.h5", "cut short");
  put("shd_train.h5", "");
  EXPECT_ERROR(open(), "shd_train.h5");
  fs::remove(dir_ / "shd_train.h5");
  put("shd_train.h5.zip", zip_file({zip_part("readme.txt", "hello")}));
  EXPECT_ERROR(open(), "shd_train.h5.zip", "found no shd_train.h5 in it");
}

TEST_F(Shd, AFileCutWhileItIsOpenIsAnError) {
  Spikes spikes;
  spikes.times.push_back(std::vector<double>(5000, 0.5));
  spikes.units.push_back(std::vector<int64_t>(5000, 1));
  spikes.labels.push_back(2);
  put("shd_train.h5", shd_file(spikes));
  put("shd_test.h5", shd_file({}));
  const auto dataset = open();
  EXPECT_EQ(frames_of(*dataset, 3)[3 * 700 + 1], 5000);
  fs::resize_file(dir_ / "shd_train.h5", 100);
  EXPECT_ERROR(frames_of(*dataset, 3), "shd_train.h5", "was cut to 100 bytes");
  EXPECT_EQ(frames_of(*dataset, 1), std::vector<float>(4 * 700, 0));  // has no spikes to read
}

TEST_F(Shd, ADamagedRowSpoilsItselfAlone) {
  std::string file = shd_file({});
  const size_t heap = file.rfind("GCOL");
  ASSERT_NE(heap, std::string::npos);
  file[heap] = 'X';
  put("shd_train.h5", file);
  put("shd_test.h5", shd_file({}));
  const auto dataset = open();
  EXPECT_EQ(frames_of(*dataset, 1), std::vector<float>(4 * 700, 0));
  int refused = 0;
  for (const int64_t i : {0, 2}) {
    try {
      (void)frames_of(*dataset, i);
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("where no row is"), std::string::npos) << e.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST_F(Shd, PackedFilesStopAtTheLimitThatAKeyLifts) {
  put("shd_test.h5", shd_file({}));
  put("shd_train.h5.gz", gzip_file(std::string(40 << 20, '\0')));
  EXPECT_ERROR(open("max_unpacked_mb = 8"), "shd_train.h5.gz: would unpack to more than 8 MB",
               "max_unpacked_mb lifts the limit");
  EXPECT_ERROR(open(), "shd_train.h5.gz: found no HDF5 signature");
  EXPECT_ERROR(open("max_unpacked_mb = 0"), "max_unpacked_mb", "found 0");
}

TEST_F(Shd, FrameOptionsAreReadAndResizeIsRefused) {
  put("shd_train.h5", shd_file({}));
  put("shd_test.h5", shd_file({}));
  std::vector<float> wanted(3 * 700, 0);  // one event per frame
  wanted[0] = wanted[700 + 699] = wanted[2 * 700 + 5] = 1;
  EXPECT_EQ(frames_of(*open("frames_by = 'number'", 3), 0), wanted);
  EXPECT_ERROR(open("resize = 32"), "resize", "32");
}

TEST_F(Shd, ThreadsReadTheSameSamplesAtOnce) {
  Spikes spikes;
  spikes.times.assign(64, {});
  spikes.units.assign(64, {});
  spikes.labels.assign(64, 1);
  for (int64_t i = 0; i < 64; ++i) {
    for (int64_t k = 0; k < 10 * i; ++k) {
      spikes.times[static_cast<size_t>(i)].push_back(static_cast<double>(k) / 1024);
      spikes.units[static_cast<size_t>(i)].push_back((i * k) % 700);
    }
  }
  put("shd_train.h5", shd_file(spikes));
  put("shd_test.h5", shd_file({}));
  const auto dataset = open();
  std::vector<std::vector<float>> at_once(64);
  parallel_for(64, 1, [&](int64_t begin, int64_t) {
    at_once[static_cast<size_t>(begin)] = frames_of(*dataset, begin);
  });
  for (int64_t i = 0; i < 64; ++i)
    EXPECT_EQ(at_once[static_cast<size_t>(i)], frames_of(*dataset, i)) << i;
}

}  // namespace
}  // namespace spikenm::data
