#include "spikenm/metrics/accuracy.h"

#include "support/tiny_network.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace spikenm::metrics
