#include "spikenm/data/subset.h"

#include "support/dataset_tree.h"
#include "support/expect_error.h"
#include "support/numbered_dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace spikenm::data {
namespace {

using test::NumberedDataset;

// 100 samples of class 0, 50 of class 1, 3 of class 2.
std::shared_ptr<NumberedDataset> uneven() {
  std::vector<int64_t> labels(100, 0);
  labels.insert(labels.end(), 50, 1);
  labels.insert(labels.end(), 3, 2);
  return std::make_shared<NumberedDataset>(labels, 3);
}

std::vector<int> class_counts(const Dataset& dataset, const std::vector<int64_t>& samples) {
  std::vector<int> counts(static_cast<size_t>(dataset.info().classes));
  for (const int64_t i : samples) ++counts[static_cast<size_t>(dataset.label(Part::kTrain, i))];
  return counts;
}

std::shared_ptr<const Dataset> subset(const std::string& keys,
                                      const std::shared_ptr<const Dataset>& dataset,
                                      uint64_t seed = 1) {
  const Config config = Config::from_text("[data]\n" + keys, "test");
  auto found = read_subset(config.section("data"), dataset, seed);
  config.reject_unread();
  return found;
}

TEST(ChooseBalanced, ServesClassesInTurn) {
  const auto set = uneven();
  const auto counts = [&](int64_t n) {
    return class_counts(*set, choose_balanced(*set, Part::kTrain, n, 0));
  };
  EXPECT_EQ(counts(0), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(counts(1), (std::vector<int>{1, 0, 0}));
  EXPECT_EQ(counts(9), (std::vector<int>{3, 3, 3}));
  EXPECT_EQ(counts(20), (std::vector<int>{9, 8, 3}));  // the last class has run out
  EXPECT_EQ(counts(153), (std::vector<int>{100, 50, 3}));
}

TEST(ChooseBalanced, IsDecidedByTheSeedAndByThePart) {
  const auto set = uneven();
  const auto chosen = choose_balanced(*set, Part::kTrain, 30, 5);
  EXPECT_EQ(choose_balanced(*set, Part::kTrain, 30, 5), chosen);
  EXPECT_NE(choose_balanced(*set, Part::kTrain, 30, 6), chosen);
  EXPECT_NE(choose_balanced(*set, Part::kTest, 30, 5), chosen);
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  EXPECT_EQ(std::set<int64_t>(chosen.begin(), chosen.end()).size(), 30u);
}

TEST(ChooseBalanced, MoreSamplesIncludeTheFewer) {
  const auto set = uneven();
  const auto few = choose_balanced(*set, Part::kTrain, 20, 5),
             more = choose_balanced(*set, Part::kTrain, 40, 5);
  EXPECT_TRUE(std::includes(more.begin(), more.end(), few.begin(), few.end()));
}

TEST(Subset, HasTheChosenSamplesWithTheirLabels) {
  const auto set = uneven();
  const auto some = subset("train_size=12\ntest_size=5", set);
  const auto train = choose_balanced(*set, Part::kTrain, 12, 1);
  ASSERT_EQ(some->size(Part::kTrain), 12);
  EXPECT_EQ(some->size(Part::kTest), 5);
  for (int64_t i = 0; i < 12; ++i) {
    const int64_t original = train[static_cast<size_t>(i)];
    EXPECT_EQ(some->label(Part::kTrain, i), set->label(Part::kTrain, original));
    EXPECT_EQ(test::read_sample(*some, Part::kTrain, i),
              test::read_sample(*set, Part::kTrain, original));
  }
}

TEST(Subset, IsNamed) {
  const auto some = subset("train_size=12", uneven());
  EXPECT_EQ(some->info().subset, "12 of 153 train and 153 of 153 test samples, balanced by class");
  EXPECT_EQ(some->info().name, "numbered");
}

TEST(Subset, OfEverythingIsTheSetItself) {
  const std::shared_ptr<const Dataset> set = uneven();
  EXPECT_EQ(subset("", set), set);
  EXPECT_EQ(subset("train_size=0\ntest_size=0", set), set);
  EXPECT_EQ(subset("train_size=153\ntest_size=153", set), set);
  EXPECT_EQ(set->info().subset, "");
}

TEST(Subset, OfMoreThanThereAreIsRefused) {
  EXPECT_ERROR(subset("train_size=154", uneven()), "data.train_size", "154", "numbered",
               "153 train samples");
  EXPECT_ERROR(subset("test_size=1000", uneven()), "data.test_size", "153 test samples");
  EXPECT_ERROR(subset("test_size=-1", uneven()), "data.test_size", "-1");
}

TEST(Subset, OfAPartThatIsNotOpenedIsEmpty) {
  const std::shared_ptr<const Dataset> set =
      std::make_shared<NumberedDataset>(std::vector<int64_t>{}, 3);
  EXPECT_EQ(subset("train_size=10\ntest_size=2", set), set);
}

}  // namespace
}  // namespace spikenm::data
