#include "spikenm/kernels/bad_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace spikenm::kernels {
namespace {

class Count {
 public:
  explicit Count(int64_t limit) : limit_(limit) {}

  // Whether the step is skipped.
  bool see(const std::vector<float>& values, double loss = 1, const float* scale = nullptr) {
    skip_ = 0.5f;
    see_step({.n = static_cast<int64_t>(values.size()),
              .values = values.data(),
              .loss = &loss,
              .loss_scale = scale,
              .limit = limit_,
              .skip = &skip_,
              .row_before = &row_before_},
             &state);
    EXPECT_TRUE(skip_ == 0 || skip_ == 1);
    return skip_ != 0;
  }

  // A second look at the step.
  bool see_more(const std::vector<float>& values, const float* scale = nullptr) {
    const double loss = 1;
    see_step({.is_second_look = true,
              .first_value = 10,
              .n = static_cast<int64_t>(values.size()),
              .values = values.data(),
              .loss = &loss,
              .loss_scale = scale,
              .limit = limit_,
              .skip = &skip_,
              .row_before = &row_before_},
             &state);
    return skip_ != 0;
  }

  BadSteps state;

 private:
  int64_t limit_, row_before_ = -1;
  float skip_ = 0.5f;
};

TEST(BadSteps, GoodStepsAreTaken) {
  Count count(1);
  EXPECT_FALSE(count.see({0, 3e38f}));
  EXPECT_FALSE(count.see({}));
  EXPECT_EQ(count.state.seen, 2);
  EXPECT_EQ(count.state.in_a_row, 0);
}

TEST(BadSteps, TheFirstBadStepStaysKnownAndAllLaterOnesAreSkipped) {
  Count count(1);
  count.see({1, 1, 1});
  EXPECT_TRUE(count.see({NAN, INFINITY, 1}, 7));
  EXPECT_TRUE(count.see({1, 1, NAN}, 8));  // bad again: the first one is still the one to name
  EXPECT_TRUE(count.see({1, 1, 1}, 9));    // good, but training has ended
  EXPECT_EQ(count.state.in_a_row, 1);
  EXPECT_EQ(count.state.first, 1);
  EXPECT_EQ(count.state.blamed, 1);
  EXPECT_EQ(count.state.loss, 7);
}

TEST(BadSteps, AGoodStepEndsARowThatIsNotTooLong) {
  Count count(3);
  EXPECT_TRUE(count.see({NAN}));
  EXPECT_TRUE(count.see({NAN}));
  EXPECT_FALSE(count.see({1}));
  EXPECT_EQ(count.state.in_a_row, 0);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(count.see({1}, -INFINITY));
  EXPECT_EQ(count.state.in_a_row, 3);
  EXPECT_EQ(count.state.first, 3);
  EXPECT_EQ(count.state.blamed, -1);  // the loss alone
  EXPECT_EQ(count.state.loss, -INFINITY);
}

TEST(BadSteps, AnOverflowUnderALossScaleIsSkippedButNotCounted) {
  Count count(1);
  float scale = 2;
  EXPECT_TRUE(count.see({INFINITY}, 1, &scale));
  EXPECT_FALSE(count.see({1}, 1, &scale));
  EXPECT_EQ(count.state.in_a_row, 0);
  scale = 1;  // nothing was scaled: the gradient itself is at fault
  EXPECT_TRUE(count.see({INFINITY}, 1, &scale));
  EXPECT_EQ(count.state.in_a_row, 1);

  Count loss(1);
  scale = 65536;
  EXPECT_TRUE(loss.see({1}, NAN, &scale));  // no scale mends a loss
  EXPECT_EQ(loss.state.in_a_row, 1);
}

TEST(BadSteps, ASecondLookMayFindWhatTheFirstDidNot) {
  Count count(3);
  EXPECT_FALSE(count.see({1, 1}));
  EXPECT_TRUE(count.see_more({1, NAN}));
  EXPECT_TRUE(count.see({NAN, 1}));
  EXPECT_EQ(count.state.seen, 2);
  EXPECT_EQ(count.state.in_a_row, 2);
  EXPECT_EQ(count.state.first, 0);
  EXPECT_EQ(count.state.blamed, 11);
  EXPECT_FALSE(count.see({1}));
  EXPECT_FALSE(count.see_more({1}));
  EXPECT_EQ(count.state.in_a_row, 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(count.see({1}));
    EXPECT_TRUE(count.see_more({INFINITY}));
  }
  EXPECT_EQ(count.state.in_a_row, 3);
  EXPECT_EQ(count.state.first, 3);
  EXPECT_TRUE(count.see({1}));  // training has ended
}

TEST(BadSteps, ASecondLookCountsNoStepTwice) {
  Count count(3);
  EXPECT_TRUE(count.see({NAN}));
  EXPECT_TRUE(count.see_more({NAN}));
  EXPECT_TRUE(count.see({1}, NAN));
  EXPECT_TRUE(count.see_more({1}));
  EXPECT_EQ(count.state.in_a_row, 2);
  EXPECT_EQ(count.state.blamed, 0);
}

TEST(BadSteps, ASecondLookKnowsTheLossScale) {
  Count count(1);
  const float scale = 2;
  EXPECT_FALSE(count.see({1}, 1, &scale));
  EXPECT_TRUE(count.see_more({INFINITY}, &scale));
  EXPECT_EQ(count.state.in_a_row, 0);
}

}  // namespace
}  // namespace spikenm::kernels
