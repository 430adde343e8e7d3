// What every dataset must do, whatever it is.
#include "spikenm/data/dataset.h"

#include "spikenm/data/recording_set.h"
#include "support/expect_error.h"
#include "support/small_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace spikenm::data {
namespace {

constexpr int64_t kFrames = 5;

std::vector<float> read(const Dataset& dataset, Part part, int64_t index) {
  const auto size = static_cast<size_t>(dataset.info().sample_size());
  std::vector<float> sample(size + 16, -201);
  dataset.read(part, index, sample.data());
  for (size_t i = size; i < sample.size(); ++i)
    EXPECT_EQ(sample[i], -201) << "wrote past the sample";
  sample.resize(size);
  return sample;
}

// Whether the set cannot be opened without a folder of files.
bool reads_files(const std::string& name) {
  try {
    static_cast<void>(datasets().find(name)(Config(), {.frames = kFrames}));
    return false;
  } catch (const Error&) {
    return true;
  }
}

// One test per row of the registry, on a small copy of that set.
class EveryDataset : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_EQ(set_.has_root(), reads_files(GetParam()))
        << "a dataset that reads files, and no other, has a small copy for the tests: a row of "
           "small_sets() in tests/support/small_sets.h";
  }
  std::unique_ptr<Dataset> open(Extent extent = Extent::kAll) {
    return datasets().find(GetParam())(set_.config(), {.frames = kFrames, .extent = extent});
  }
  test::SmallSet set_{GetParam()};
};

TEST_P(EveryDataset, HasSamplesOfItsShapeAndLabelsInRange) {
  const auto dataset = open();
  const DatasetInfo& info = dataset->info();
  EXPECT_EQ(info.name, GetParam());
  EXPECT_TRUE(info.frames == 0 || info.frames == kFrames);
  EXPECT_EQ(info.events, info.frames > 0);
  EXPECT_EQ(info.sample_size(),
            std::max<int64_t>(1, info.frames) * info.channels * info.height * info.width);
  EXPECT_TRUE(info.class_names.empty() ||
              static_cast<int64_t>(info.class_names.size()) == info.classes);
  EXPECT_EQ(info.mean.size(), info.std.size());
  EXPECT_TRUE(info.mean.empty() || static_cast<int64_t>(info.mean.size()) == info.channels);
  for (const Part part : {Part::kTrain, Part::kTest}) {
    ASSERT_GT(dataset->size(part), 0);
    for (int64_t i = 0; i < dataset->size(part); ++i) {
      EXPECT_GE(dataset->label(part, i), 0);
      EXPECT_LT(dataset->label(part, i), info.classes);
    }
  }
}

TEST_P(EveryDataset, BytesAreTheValuesReadAndImagesInMemoryHaveThem) {
  const auto dataset = open();
  const bool in_memory = dataset->info().frames == 0 && dataset->cache_key().empty();
  EXPECT_EQ(dataset->bytes(Part::kTrain, 0) != nullptr, in_memory);
  for (const Part part : {Part::kTrain, Part::kTest}) {
    const int64_t last = dataset->size(part) - 1;
    const uint8_t* const bytes = dataset->bytes(part, last);
    if (bytes == nullptr) continue;
    const std::vector<float> values = read(*dataset, part, last);
    EXPECT_TRUE(std::equal(values.begin(), values.end(), bytes));
  }
}

TEST_P(EveryDataset, GivesCountsOrPixels) {
  const auto dataset = open();
  for (const Part part : {Part::kTrain, Part::kTest}) {
    for (const float v : read(*dataset, part, 0)) {
      EXPECT_GE(v, 0);
      EXPECT_TRUE(dataset->info().events || v <= 255) << v;
    }
  }
}

TEST_P(EveryDataset, ReadsTheSameSampleAgainAndDifferentSamplesApart) {
  const auto dataset = open(), again = open();
  for (const Part part : {Part::kTrain, Part::kTest}) {
    const int64_t last = dataset->size(part) - 1;
    const auto first = read(*dataset, part, 0);
    EXPECT_EQ(read(*again, part, 0), first);
    EXPECT_NE(read(*dataset, part, last), first);
    EXPECT_EQ(read(*dataset, part, 0), first);
  }
}

TEST_P(EveryDataset, AMirrorTwiceIsTheSampleItself) {
  const auto dataset = open();
  const std::vector<int64_t>& mirrored = dataset->info().mirrored;
  for (size_t label = 0; label < mirrored.size(); ++label)
    EXPECT_EQ(mirrored[static_cast<size_t>(mirrored[label])], static_cast<int64_t>(label));
}

TEST_P(EveryDataset, HasFilesThatExistAndAKeyIfReadingIsSlow) {
  const auto dataset = open();
  for (const SourceFile& file : dataset->files())
    EXPECT_TRUE(std::filesystem::is_regular_file(file.path)) << file.path;
  EXPECT_TRUE(dataset->recordings() == nullptr || !dataset->cache_key().empty());
}

TEST_P(EveryDataset, SaysWhatItWantsWhenTheFolderIsAbsent) {
  if (!set_.has_root()) GTEST_SKIP() << "reads no folder";
  Config config = set_.config();
  config.override_with("root=/no/such/folder");
  // Nobody else has a set of one's own.
  const bool is_own = GetParam().ends_with("-folder");
  EXPECT_ERROR(datasets().find(GetParam())(config, {.frames = kFrames}), "root", "/no/such/folder",
               "not a folder", is_own ? "for each class" : "can be had from");
}

// What a network and its pipeline depend on.
void expect_same_kind(const DatasetInfo& a, const DatasetInfo& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.shape(), b.shape());
  EXPECT_EQ(a.frames, b.frames);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.simulated, b.simulated);
  EXPECT_EQ(a.split, b.split);
  EXPECT_EQ(a.class_names, b.class_names);
  EXPECT_EQ(a.mirrored, b.mirrored);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.std, b.std);
  EXPECT_EQ(a.augment, b.augment);
}

TEST_P(EveryDataset, IsDescribedWithoutItsFiles) {
  const auto opened = open();
  for (const char* root : {"", "/no/such/folder"}) {
    Config config;
    if (set_.has_root()) config.override_with(fmt::format("root='{}'", root));
    const auto described =
        datasets().find(GetParam())(config, {.frames = kFrames, .extent = Extent::kNothing});
    expect_same_kind(described->info(), opened->info());
    EXPECT_EQ(described->cache_key().empty(), opened->cache_key().empty());
    if (!set_.has_root()) continue;
    EXPECT_EQ(described->size(Part::kTrain) + described->size(Part::kTest), 0);
    EXPECT_TRUE(described->files().empty());
  }
}

TEST_P(EveryDataset, ReadsTheSameKeysWhateverIsOpened) {
  std::string whole;
  for (const Extent extent : {Extent::kAll, Extent::kTest, Extent::kNothing}) {
    const Config config = set_.config();
    static_cast<void>(datasets().find(GetParam())(config, {.frames = kFrames, .extent = extent}));
    if (extent == Extent::kAll) whole = config.resolved_toml();
    EXPECT_EQ(config.resolved_toml(), whole);
  }
}

TEST_P(EveryDataset, ItsTestPartIsTheSameAlone) {
  const auto whole = open(), test = open(Extent::kTest);
  expect_same_kind(test->info(), whole->info());
  ASSERT_EQ(test->size(Part::kTest), whole->size(Part::kTest));
  for (int64_t i = 0; i < whole->size(Part::kTest); i += 3) {
    EXPECT_EQ(test->label(Part::kTest, i), whole->label(Part::kTest, i));
    EXPECT_EQ(read(*test, Part::kTest, i), read(*whole, Part::kTest, i));
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryDataset, testing::ValuesIn(datasets().names()),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Datasets, SmallCopiesAreOfRegisteredSets) {
  for (const auto& [name, write] : test::small_sets())
    EXPECT_NO_THROW(static_cast<void>(datasets().find(name))) << name;
}

}  // namespace
}  // namespace spikenm::data
