// What every dataset must do, whatever it is.
#include "spikenm/data/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace spikenm::data {
namespace {

std::vector<uint8_t> read(const Dataset& dataset, Part part, int64_t index) {
  const auto size = static_cast<size_t>(dataset.info().sample_size());
  std::vector<uint8_t> sample(size + 16, 201);
  dataset.read(part, index, sample.data());
  for (size_t i = size; i < sample.size(); ++i)
    EXPECT_EQ(sample[i], 201) << "wrote past the sample";
  sample.resize(size);
  return sample;
}

TEST(EveryDataset, HasItsOwnNameAndASummary) {
  std::set<std::string> names;
  for (const auto& row : datasets().rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
  }
  EXPECT_FALSE(names.empty());
}

TEST(EveryDataset, HasSamplesOfItsShapeAndLabelsInRange) {
  for (const auto& row : datasets().rows()) {
    const auto dataset = row.make(Config(), 5, 0);
    const DatasetInfo& info = dataset->info();
    EXPECT_EQ(info.name, row.name);
    EXPECT_TRUE(info.frames == 0 || info.frames == 5) << row.name;
    EXPECT_EQ(info.sample_size(),
              std::max<int64_t>(1, info.frames) * info.channels * info.height * info.width);
    for (const Part part : {Part::kTrain, Part::kTest}) {
      ASSERT_GT(dataset->size(part), 0) << row.name;
      std::set<int64_t> labels;
      for (int64_t i = 0; i < dataset->size(part); ++i) labels.insert(dataset->label(part, i));
      EXPECT_GE(*labels.begin(), 0) << row.name;
      EXPECT_LT(*labels.rbegin(), info.classes) << row.name;
      EXPECT_EQ(static_cast<int64_t>(labels.size()), info.classes) << row.name;
    }
  }
}

TEST(EveryDataset, ReadsTheSameSampleAgainAndDifferentSamplesApart) {
  for (const auto& row : datasets().rows()) {
    const auto dataset = row.make(Config(), 5, 0), again = row.make(Config(), 5, 0);
    for (const Part part : {Part::kTrain, Part::kTest}) {
      const int64_t last = dataset->size(part) - 1;
      const auto first = read(*dataset, part, 0);
      EXPECT_EQ(read(*again, part, 0), first) << row.name;
      EXPECT_NE(read(*dataset, part, last), first) << row.name;
      EXPECT_EQ(read(*dataset, part, 0), first) << row.name;
    }
  }
}

}  // namespace
}  // namespace spikenm::data
