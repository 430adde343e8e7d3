#include "spikenm/metrics/accuracy.h"

#include "support/tiny_network.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::metrics {
namespace {

at::Tensor labels(const std::vector<int64_t>& values) {
  return at::tensor(values);
}

TEST(Accuracy, TheLargestScoreWins) {
  const at::Tensor scores = test::floats({1, 2, 0,     //
                                          -3, -2, -1,  //
                                          5, 0, 0},
                                         {1, 3, 3});
  EXPECT_EQ(count_correct(scores, labels({1, 2, 0})), 3);
  EXPECT_EQ(count_correct(scores, labels({1, 0, 0})), 2);
  EXPECT_EQ(count_correct(scores, labels({0, 0, 1})), 0);
}

// Class 0 wins one step by far, class 1 the two others by little: the means are 3 and 1.
TEST(Accuracy, TheMeanOverTimeDecidesNotTheLastStepNorTheMajority) {
  const at::Tensor scores = test::floats({9, 1, 0, 1, 0, 1}, {3, 1, 2});
  EXPECT_EQ(count_correct(scores, labels({0})), 1);
  EXPECT_EQ(count_correct(scores, labels({1})), 0);
}

// A diverged network is right about nothing, in the labels' scores and in the others'.
TEST(Accuracy, AScoreThatIsNotANumberIsNeverRight) {
  const float nan = std::nanf("");
  EXPECT_EQ(count_correct(at::full({1, 2, 3}, nan), labels({0, 2})), 0);
  EXPECT_EQ(count_correct(test::floats({1, nan, 0}, {1, 1, 3}), labels({0})), 0);
  EXPECT_EQ(count_correct(test::floats({1, nan, 0}, {1, 1, 3}), labels({1})), 0);
}

// Scores fall with the class, but for class 6, which ties with class 0 and comes behind it.
const std::vector<float> kSeven = {9, 8, 7, 6, 5, 4, 9};

TEST(AccuracyCounter, TheFiveBestAreInAndTiesGoToTheLowerClass) {
  const at::Tensor scores = at::tensor(kSeven).view({1, 1, 7}).expand({1, 7, 7});
  AccuracyCounter counter;
  counter.add(scores, labels({0, 1, 2, 3, 4, 5, 6}));  // better ones: 0 2 3 4 5 6 1
  EXPECT_EQ(counter.samples(), 7);
  EXPECT_DOUBLE_EQ(counter.percent(), 100 / 7.0);
  ASSERT_TRUE(counter.top5_percent().has_value());
  EXPECT_DOUBLE_EQ(*counter.top5_percent(), 500 / 7.0);
}

TEST(AccuracyCounter, CountsWhichClassIsTakenForWhich) {
  const float nan = std::nanf("");
  AccuracyCounter counter;
  counter.add(test::floats({9, 1, 0,  //
                            9, 1, 0,  //
                            0, 1, 2,  //
                            0, 0, nan},
                           {1, 4, 3}),
              labels({0, 1, 2, 2}));
  using Counts = std::vector<std::vector<int64_t>>;
  // A score that is not a number is right about nothing, and counted for another class.
  EXPECT_EQ(counter.confusion(), (Counts{{1, 0, 0}, {1, 0, 0}, {1, 0, 1}}));
  EXPECT_DOUBLE_EQ(counter.percent(), 50);
}

TEST(AccuracyCounter, FiveClassesHaveNoTop5) {
  AccuracyCounter five, six;
  five.add(at::zeros({2, 1, 5}), labels({4}));
  six.add(at::zeros({2, 1, 6}), labels({4}));
  EXPECT_FALSE(five.top5_percent().has_value());
  EXPECT_EQ(six.top5_percent(), 100);
}

// Class 0: 1 of 2, class 1: 1 of 1 and 0 of 1 in the next batch, class 2 was not shown.
TEST(AccuracyCounter, ClassesAreCountedOverBatches) {
  AccuracyCounter counter;
  counter.add(test::floats({1, 0, 0, 0, 0, 1, 0, 1, 0}, {1, 3, 3}), labels({0, 0, 1}));
  counter.add(test::floats({1, 0, 0}, {1, 1, 3}), labels({1}));
  const std::vector<double> found = counter.class_percent();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], 50);
  EXPECT_EQ(found[1], 50);
  EXPECT_TRUE(std::isnan(found[2]));
  EXPECT_EQ(counter.percent(), 50);
}

}  // namespace
}  // namespace spikenm::metrics
