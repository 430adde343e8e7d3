#include "spikenm/data/split.h"

#include "support/expect_error.h"
#include "support/numbered_dataset.h"

#include <gtest/gtest.h>

#include <set>

namespace spikenm::data {
namespace {

using test::NumberedDataset;

std::shared_ptr<NumberedDataset> dataset_of(std::vector<int64_t> labels, int64_t classes) {
  return std::make_shared<NumberedDataset>(std::move(labels), classes);
}

// First values, which tell samples apart while there are fewer than 251.
std::multiset<int> members(const View& view) {
  std::multiset<int> found;
  std::vector<float> sample(static_cast<size_t>(view.info().sample_size()));
  for (int64_t i = 0; i < view.size(); ++i) {
    view.read(i, sample.data());
    found.insert(static_cast<int>(sample[0]));
  }
  return found;
}

std::vector<int> class_counts(const View& view) {
  std::vector<int> counts(static_cast<size_t>(view.info().classes), 0);
  for (int64_t i = 0; i < view.size(); ++i) ++counts[static_cast<size_t>(view.label(i))];
  return counts;
}

TEST(Split, HoldsOutAShareOfEveryClass) {
  std::vector<int64_t> labels(100, 0);
  labels.insert(labels.end(), 50, 1);
  labels.insert(labels.end(), 20, 2);
  const TrainViews views = split_train(dataset_of(labels, 3), 0.1, 0);
  EXPECT_EQ(class_counts(views.validation), (std::vector<int>{10, 5, 2}));
  EXPECT_EQ(class_counts(views.train), (std::vector<int>{90, 45, 18}));
}

TEST(Split, TrainAndValidationAreDisjointAndCoverEverySample) {
  const auto dataset = dataset_of(test::cyclic_labels(200, 10), 10);
  const TrainViews views = split_train(dataset, 0.1, 5);
  std::multiset<int> all = members(views.train);
  all.merge(members(views.validation));
  std::multiset<int> wanted;
  for (int i = 0; i < 200; ++i) wanted.insert(NumberedDataset::value(i, 0));
  EXPECT_EQ(all, wanted);
  EXPECT_EQ(std::set<int>(all.begin(), all.end()).size(), 200u);
}

TEST(Split, TheSeedDecidesWhoIsHeldOut) {
  const auto dataset = dataset_of(test::cyclic_labels(200, 10), 10);
  EXPECT_EQ(members(split_train(dataset, 0.1, 5).validation),
            members(split_train(dataset, 0.1, 5).validation));
  EXPECT_NE(members(split_train(dataset, 0.1, 5).validation),
            members(split_train(dataset, 0.1, 6).validation));
}

TEST(Split, LabelsGoWithTheirSamples) {
  const auto dataset = dataset_of(test::cyclic_labels(200, 10), 10);
  const TrainViews views = split_train(dataset, 0.25, 1);
  std::vector<float> sample(static_cast<size_t>(views.train.info().sample_size()));
  for (int64_t i = 0; i < views.train.size(); ++i) {
    views.train.read(i, sample.data());
    int64_t index = 0;
    while (NumberedDataset::value(index, 0) != sample[0]) ++index;
    EXPECT_EQ(views.train.label(i), index % 10);
  }
}

TEST(Split, NothingIsHeldOutOnlyWhenThatIsAskedFor) {
  const TrainViews views = split_train(dataset_of(test::cyclic_labels(40, 4), 4), 0, 0);
  EXPECT_EQ(views.train.size(), 40);
  EXPECT_EQ(views.validation.size(), 0);
  const auto one_a_class = dataset_of(test::cyclic_labels(4, 4), 4);
  EXPECT_ERROR(split_train(one_a_class, 0.1, 0), "data.val_fraction", "validation", "4");
}

TEST(Split, AnEmptyTrainViewIsRefused) {
  const auto dataset = dataset_of(test::cyclic_labels(40, 4), 4);
  EXPECT_ERROR(split_train(dataset, 1, 0), "data.val_fraction", "train split empty");
}

TEST(Split, ASmallFractionStillHoldsOneSampleOfEveryClass) {
  const TrainViews views = split_train(dataset_of(test::cyclic_labels(40, 4), 4), 0.01, 0);
  EXPECT_EQ(views.validation.size(), 4);
  EXPECT_EQ(views.train.size(), 36);
}

TEST(Split, ALabelBeyondTheClassesIsRefused) {
  EXPECT_ERROR(split_train(dataset_of({0, 1, 4, 1}, 4), 0.5, 0), "numbered", "label 4", "sample 2",
               "0 to 3");
  EXPECT_ERROR(split_train(dataset_of({0, -1}, 4), 0.5, 0), "numbered", "label -1", "sample 1");
}

TEST(Split, ASampleKeepsItsNumberInThePart) {
  const auto dataset = dataset_of(test::cyclic_labels(200, 10), 10);
  const TrainViews views = split_train(dataset, 0.25, 1);
  std::vector<float> sample(static_cast<size_t>(views.train.info().sample_size()));
  for (const View* view : {&views.train, &views.validation}) {
    for (int64_t i = 0; i < view->size(); ++i) {
      view->read(i, sample.data());
      EXPECT_EQ(sample[0], NumberedDataset::value(view->index_in_part(i), 0));
    }
  }
}

TEST(Split, AClassOfOneSampleStaysInTraining) {
  const TrainViews views = split_train(dataset_of({0, 0, 0, 0, 1}, 3), 0.25, 0);
  EXPECT_EQ(class_counts(views.train), (std::vector<int>{3, 1, 0}));
  EXPECT_EQ(class_counts(views.validation), (std::vector<int>{1, 0, 0}));
}

TEST(Split, TheTestViewIsTheWholeTestPartInOrder) {
  const View view = test_view(dataset_of(test::cyclic_labels(30, 10), 10));
  ASSERT_EQ(view.size(), 30);
  std::vector<float> sample(static_cast<size_t>(view.info().sample_size()));
  for (int64_t i = 0; i < 30; ++i) {
    view.read(i, sample.data());
    EXPECT_EQ(sample[0], NumberedDataset::value(i, 0));
  }
  EXPECT_ERROR(test_view(dataset_of({}, 10)), "numbered", "empty test split");
}

}  // namespace
}  // namespace spikenm::data
