#include "spikenm/data/open.h"

#include "spikenm/data/cache.h"
#include "support/dataset_tree.h"
#include "support/event_files.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;
using test::put;
using test::read_sample;
using test::TempDir;

// The [data] section of these lines.
Config data_config(const std::string& lines) {
  return Config::from_text("[data]\n" + lines, "test").section("data");
}

std::shared_ptr<const Dataset> open(const std::string& lines, int64_t frames = 2,
                                    Extent extent = Extent::kAll) {
  return open_dataset(data_config(lines), {.frames = frames, .seed = 1, .extent = extent});
}

// N-MNIST with one recording per class, and a folder for its cache.
class OpenRecordings : public ::testing::Test {
 protected:
  OpenRecordings() {
    for (int digit = 0; digit < 10; ++digit)
      for (const char* part : {"Train", "Test"})
        put(root_ / fmt::format("{}/{}/0.bin", part, digit),
            test::atis_bin_file(test::some_events(20, 34, 34)));
  }

  [[nodiscard]] std::string lines(const std::string& more) const {
    return fmt::format("name='n-mnist'\nroot='{}'\ncache_dir='{}'\n{}", root_.path().string(),
                       folder_.path().string(), more);
  }
  void lose_the_first_recording() const { fs::remove(root_ / "Train/0/0.bin"); }
  [[nodiscard]] bool folder_is_empty() const { return fs::is_empty(folder_.path()); }

  TempDir root_, folder_;
};

TEST_F(OpenRecordings, AreCachedOnDiskUnlessToldOtherwise) {
  for (const char* kind : {"", "cache='auto'", "cache='disk'"}) {
    const auto dataset = open(lines(kind));
    EXPECT_TRUE(folder_is_empty());  // opening costs nothing
    const std::vector<float> sample = read_sample(*dataset, Part::kTrain, 0);
    const fs::path file = cache_file(*dataset, folder_.path());
    EXPECT_TRUE(fs::exists(file));
    lose_the_first_recording();
    EXPECT_EQ(read_sample(*dataset, Part::kTrain, 0), sample);
    put(root_ / "Train/0/0.bin", test::atis_bin_file(test::some_events(20, 34, 34)));
    fs::remove(file);
  }
}

TEST_F(OpenRecordings, MayBeKeptInMemory) {
  const auto dataset = open(lines("cache='memory'"));
  const std::vector<float> sample = read_sample(*dataset, Part::kTrain, 0);
  lose_the_first_recording();
  EXPECT_EQ(read_sample(*dataset, Part::kTrain, 0), sample);
  EXPECT_TRUE(folder_is_empty());
}

TEST_F(OpenRecordings, MayBeReadEveryTime) {
  const auto dataset = open(lines("cache='off'"));
  EXPECT_NO_THROW(read_sample(*dataset, Part::kTrain, 0));
  lose_the_first_recording();
  EXPECT_ERROR(read_sample(*dataset, Part::kTrain, 0), "Train/0/0.bin");
  EXPECT_TRUE(folder_is_empty());
}

TEST_F(OpenRecordings, HaveACacheForEveryT) {
  const auto two = open(lines("")), three = open(lines(""), 3);
  EXPECT_NE(cache_file(*two, folder_.path()), cache_file(*three, folder_.path()));
  EXPECT_EQ(three->info().frames, 3);
}

TEST_F(OpenRecordings, EveryKeyIsRead) {
  const Config config = Config::from_text(
      "[data]\n" + lines("cache='disk'\nframes_by='time'\nframe_values='binary'\nresize=16\n"
                         "augment=['flip']\nnormalize=true\nmean=[0.5,0.5]\nstd=[1,1]\n"
                         "mixup=0.2\ncutmix=1.0"),
      "test");
  const auto dataset = open_dataset(config.section("data"), {.frames = 2, .seed = 1});
  static_cast<void>(read_pipelines(config.section("data"), dataset->info()));
  EXPECT_NO_THROW(config.reject_unread());
}

TEST_F(OpenRecordings, KeysWithoutEffectAreRefused) {
  const auto read = [&](const std::string& more) {
    const Config config = Config::from_text("[data]\n" + lines(more), "test");
    const auto dataset = open_dataset(config.section("data"), {.frames = 2, .seed = 1});
    const Pipelines pipelines = read_pipelines(config.section("data"), dataset->info());
    config.reject_unread();
    return pipelines;
  };
  for (const char* cache : {"off", "memory"})
    EXPECT_ERROR(read(fmt::format("cache='{}'", cache)),
                 "data.cache_dir: has no effect with data.cache = ", cache);
  EXPECT_ERROR(read("normalize=false\nstd=[1,1]"),
               "data.std: has no effect with data.normalize = false");
  EXPECT_TRUE(read("normalize=false\nmean=[0.5,0.5]").test.mean.empty());  // what cutout fills with
  EXPECT_ERROR(read("mean=[0.5,0.5]"), "data.mean and data.std", "2 and 0");
  EXPECT_ERROR(read("std=[0.5,0.5]"), "data.mean and data.std", "0 and 2");
}

TEST(Open, WhatIsMadeOnTheFlyIsKeptInMemory) {
  const TempDir folder;
  const std::string lines =
      fmt::format("train_size=3\ntest_size=2\ncache_dir='{}'\n", folder.path().string());
  const auto automatic = open(lines), off = open(lines + "cache='off'"),
             disk = open(lines + "cache='disk'");
  EXPECT_EQ(automatic->info().name, "moving-shapes");
  const std::vector<float> sample = read_sample(*off, Part::kTrain, 1);
  EXPECT_EQ(read_sample(*automatic, Part::kTrain, 1), sample);
  EXPECT_EQ(read_sample(*automatic, Part::kTrain, 1), sample);
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_EQ(read_sample(*disk, Part::kTrain, 1), sample);
  EXPECT_FALSE(fs::is_empty(folder.path()));
}

// Two 28x28 images of MNIST a part.
void put_mnist(const fs::path& root) {
  const std::string images = std::string("\0\0\x08\x03\0\0\0\2\0\0\0\x1c\0\0\0\x1c", 16) +
                             std::string(2 * 28 * 28, '\x40'),
                    labels("\0\0\x08\x01\0\0\0\2\3\7", 10);
  for (const std::string part : {"train", "t10k"}) {
    put(root / (part + "-images-idx3-ubyte"), images);
    put(root / (part + "-labels-idx1-ubyte"), labels);
  }
}

TEST(Open, ADiskCacheOfWhatIsInMemoryIsRefused) {
  const TempDir root;
  put_mnist(root.path());
  const std::string lines = fmt::format("name='mnist'\nroot='{}'\n", root.path().string());
  EXPECT_ERROR(open(lines + "cache='disk'"), "data.cache", "disk", "mnist", "memory already");
  for (const char* kind : {"", "cache='auto'", "cache='off'", "cache='memory'"}) {
    const auto dataset = open(lines + kind);
    EXPECT_EQ(read_sample(*dataset, Part::kTest, 1), std::vector<float>(28 * 28, 64.0f));
    EXPECT_EQ(dataset->label(Part::kTest, 1), 7);
  }
}

TEST_F(OpenRecordings, OfTheTestPartAloneNeedNoTrainPart) {
  fs::remove_all(root_ / "Train");
  EXPECT_ERROR(open(lines("")), "no folder Train");
  const auto dataset = open(lines(""), 2, Extent::kTest);
  EXPECT_EQ(dataset->size(Part::kTrain), 0);
  EXPECT_EQ(dataset->size(Part::kTest), 10);
  EXPECT_NO_THROW(read_sample(*dataset, Part::kTest, 9));
  fs::remove_all(root_ / "Test");
  EXPECT_ERROR(open(lines(""), 2, Extent::kTest), "no folder Test");
}

TEST_F(OpenRecordings, OfAWholeSetHaveOneCacheForTrainingAndForItsTestPart) {
  const auto whole = open(lines("")), test = open(lines(""), 2, Extent::kTest);
  EXPECT_EQ(cache_file(*test, folder_.path()), cache_file(*whole, folder_.path()));
  const std::vector<float> sample = read_sample(*whole, Part::kTest, 3);
  EXPECT_EQ(read_sample(*test, Part::kTest, 3), sample);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(OpenRecordings, MayBeASubsetWithACacheOfItsOwn) {
  const auto all = open(lines("")), some = open(lines("train_size=4\ntest_size=2"));
  EXPECT_EQ(some->size(Part::kTrain), 4);
  EXPECT_EQ(some->size(Part::kTest), 2);
  EXPECT_NE(cache_file(*some, folder_.path()), cache_file(*all, folder_.path()));
  EXPECT_EQ(read_sample(*some, Part::kTest, 0).size(), read_sample(*all, Part::kTest, 0).size());
}

TEST_F(OpenRecordings, AreFoundBelowTheHomeFolder) {
  const std::string before = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  ::setenv("HOME", root_.path().parent_path().c_str(), 1);
  const std::string name = root_.path().filename().string();
  const auto dataset = open(fmt::format("name='n-mnist'\nroot='~/{}'\ncache_dir='~/{}'", name,
                                        folder_.path().filename().string()));
  static_cast<void>(read_sample(*dataset, Part::kTrain, 0));
  EXPECT_FALSE(folder_is_empty());
  ::setenv("HOME", before.c_str(), 1);
}

TEST_F(OpenRecordings, MayBeMissingWhereThatIsAskedFor) {
  const auto open_or_say = [](const std::string& lines, std::string& missing) {
    return open_dataset(data_config(lines), {.frames = 2, .seed = 1}, &missing);
  };
  std::string missing;
  EXPECT_EQ(open_or_say(lines(""), missing)->size(Part::kTrain), 10);
  EXPECT_EQ(missing, "");
  EXPECT_ERROR(open_or_say(lines("train_size=11"), missing), "data.train_size", "11");
  EXPECT_EQ(missing, "");
  fs::remove_all(root_ / "Train");
  EXPECT_EQ(open_or_say(lines(""), missing)->size(Part::kTrain), 0);
  EXPECT_NE(missing.find("Train"), std::string::npos) << missing;
  EXPECT_ERROR(open_or_say(lines("frames_by='colour'"), missing), "data.frames_by", "colour");
}

TEST(Open, ASizeOf0IsTheUsualOneOfASetThatIsMade) {
  const auto set = open("train_size=0\ntest_size=0");
  EXPECT_EQ(set->size(Part::kTrain), 4000);
  EXPECT_EQ(set->size(Part::kTest), 1000);
  EXPECT_EQ(open("train_size=7\ntest_size=0")->size(Part::kTrain), 7);
  EXPECT_EQ(set->info().subset, "");
}

TEST(Open, APathWithoutAHomeIsNamedByItsKey) {
  const std::string before = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  ::unsetenv("HOME");
  EXPECT_ERROR(open("name='n-mnist'\nroot='~/sets'"), "data.root: found '~/sets' but no HOME");
  EXPECT_ERROR(open("cache='disk'\ncache_dir='~/c'"), "data.cache_dir: found '~/c' but no HOME");
  ::setenv("HOME", before.c_str(), 1);
}

TEST(Open, WrongNamesTellTheRightOnes) {
  EXPECT_ERROR(open("name='n-mist'"), "dataset 'n-mist'", "n-mnist");
  EXPECT_ERROR(open("cache='ram'"), "data.cache", "ram", "memory");
}

const DatasetInfo kImages{.name = "pictures",
                          .channels = 3,
                          .height = 8,
                          .width = 8,
                          .classes = 2,
                          .mean = {0.1, 0.2, 0.3},
                          .std = {0.4, 0.5, 0.6},
                          .augment = {"crop:1", "flip"}};
const DatasetInfo kEvents{
    .name = "gestures", .channels = 2, .height = 8, .width = 8, .frames = 4, .events = true};

Pipelines read(const std::string& lines, const DatasetInfo& info) {
  return read_pipelines(data_config(lines), info);
}

TEST(Pipelines, DefaultsAreTheDatasets) {
  const Pipelines found = read("", kImages);
  for (const Pipeline* pipeline : {&found.train, &found.test}) {
    EXPECT_EQ(pipeline->mean, kImages.mean);
    EXPECT_EQ(pipeline->std, kImages.std);
  }
  ASSERT_NE(found.train.augment, nullptr);
  EXPECT_FALSE(found.train.augment->empty());
  EXPECT_EQ(found.test.augment, nullptr);
  EXPECT_EQ(found.train.mix.mixup_alpha, 0);
  EXPECT_EQ(found.train.mix.cutmix_alpha, 0);
}

TEST(Pipelines, ADatasetWithoutNumbersIsNotNormalised) {
  const Pipelines found = read("", kEvents);
  EXPECT_TRUE(found.train.mean.empty());
  EXPECT_TRUE(found.test.mean.empty());
  EXPECT_TRUE(found.train.augment->empty());
}

TEST(Pipelines, TheConfigReplacesTheDefaults) {
  const Pipelines found =
      read("augment=[]\nmean=[0.5,0.5,0.5]\nstd=[1,1,2]\nmixup=0.2\ncutmix=1.0", kImages);
  EXPECT_TRUE(found.train.augment->empty());
  EXPECT_EQ(found.test.mean, (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(found.train.std, (std::vector<double>{1, 1, 2}));
  EXPECT_EQ(found.train.mix.mixup_alpha, 0.2);
  EXPECT_EQ(found.train.mix.cutmix_alpha, 1);
  EXPECT_EQ(found.test.mix.mixup_alpha, 0);
  EXPECT_EQ(found.test.mix.cutmix_alpha, 0);
  EXPECT_TRUE(read("normalize=false", kImages).train.mean.empty());
  EXPECT_EQ(read("mean=[0.1,0.2]\nstd=[1,1]", kEvents).test.mean.size(), 2u);
}

TEST(Pipelines, NumbersOfTheWrongLengthNameTheirKey) {
  EXPECT_ERROR(read("mean=[0.5]", kImages), "data.mean", "1 numbers", "3 channels");
  EXPECT_ERROR(read("std=[1,1,1,1]", kImages), "data.std", "4 numbers", "3 channels");
  EXPECT_ERROR(read("mean=[]", kImages), "data.mean and data.std", "0 and 3");
  EXPECT_ERROR(read("mean=[0.5,0.5]", kEvents), "data.mean and data.std", "2 and 0");
  EXPECT_ERROR(read("normalize=true", kEvents), "data.normalize", "gestures", "mean and std");
}

TEST(Pipelines, NumbersThatCannotBeDividedByAreRefused) {
  EXPECT_ERROR(read("std=[1,0,1]", kImages), "data.std", "found 0", "more than 0");
  EXPECT_ERROR(read("std=[1,1,-2.0]", kImages), "data.std", "-2");
  EXPECT_ERROR(read("std=[1,1,nan]", kImages), "data.std");
  EXPECT_ERROR(read("std=[1,1,inf]", kImages), "data.std");
  EXPECT_ERROR(read("mean=[nan,1,1]", kImages), "data.mean");
}

TEST(Pipelines, AWrongTransformNamesTheKeyAndTheEntry) {
  EXPECT_ERROR(read("augment=['flop']", kImages), "data.augment", "'flop'", "flip");
  EXPECT_ERROR(read("augment=['flip','crop:x']", kImages), "data.augment", "'crop:x'", "number");
  EXPECT_ERROR(read("augment=['flip:2']", kImages), "data.augment", "'flip:2'", "2");
  EXPECT_ERROR(read("augment=[1]", kImages), "data.augment");
  EXPECT_ERROR(read("augment=['autoaugment']", kEvents), "data.augment", "'autoaugment'");
  EXPECT_ERROR(read("mixup=-1.0", kImages), "data.mixup", "-1");
  EXPECT_ERROR(read("cutmix=101.0", kImages), "data.cutmix", "101");
}

}  // namespace
}  // namespace spikenm::data
