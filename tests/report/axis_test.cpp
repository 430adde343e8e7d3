#include "spikenm/report/axis.h"

#include "spikenm/core/error.h"

#include <gtest/gtest.h>

namespace spikenm::report {
namespace {

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> texts;
  for (const Tick& tick : axis.ticks())
    if (!tick.label.empty()) texts.push_back(tick.label);
  return texts;
}

using Labels = std::vector<std::string>;

TEST(Axis, LinearTicksAreRoundNumbersInsideTheAxis) {
  EXPECT_EQ(labels(Axis::linear(0, 10)), (Labels{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(labels(Axis::linear(81.7, 83.9)), (Labels{"82.0", "82.5", "83.0", "83.5", "84.0"}));
  EXPECT_EQ(labels(Axis::linear(-0.04, 0.02)),
            (Labels{"-0.04", "-0.03", "-0.02", "-0.01", "0.00", "0.01", "0.02"}));
  const Axis axis = Axis::linear(20, 260);
  for (const Tick& tick : axis.ticks()) {
    EXPECT_GE(tick.at, 0);
    EXPECT_LE(tick.at, 1);
  }
}

TEST(Axis, LinearPlacesValuesWithAirAtBothEnds) {
  const Axis axis = Axis::linear(0, 100);  // from -6 to 106
  EXPECT_NEAR(axis.position(0), 6.0 / 112, 1e-12);
  EXPECT_NEAR(axis.position(100), 106.0 / 112, 1e-12);
  EXPECT_NEAR(axis.position(50), 0.5, 1e-12);
}

TEST(Axis, OneValueStillHasAnAxis) {
  for (const double value : {0.0, 83.9, -5.0, 1e-9, 1e12}) {
    const Axis axis = Axis::linear(value, value);
    EXPECT_NEAR(axis.position(value), 0.5, 1e-6) << value;
    EXPECT_FALSE(axis.ticks().empty()) << value;
    EXPECT_LT(axis.ticks().size(), 20u) << value;
  }
  EXPECT_NEAR(Axis::logarithmic(5, 5, false).position(5), 0.5, 1e-6);
}

TEST(Axis, WholeNumbersHaveWholeTicks) {
  EXPECT_EQ(labels(Axis::linear(1, 4, /*whole=*/true)), (Labels{"1", "2", "3", "4"}));
  EXPECT_GT(labels(Axis::linear(1, 4)).size(), 4u);
}

TEST(Axis, LogarithmicTicksAreDecades) {
  const Axis axis = Axis::logarithmic(0.01, 100, false);
  EXPECT_EQ(labels(axis), (Labels{"0.01", "0.1", "1", "10", "100"}));
  EXPECT_NEAR(axis.position(10) - axis.position(1), axis.position(1) - axis.position(0.1), 1e-12);
  EXPECT_NEAR(axis.position(1), 0.5, 1e-12);
}

TEST(Axis, ShortLogarithmicAxesNameTwoAndFiveToo) {
  EXPECT_EQ(labels(Axis::logarithmic(1, 10, false)), (Labels{"1", "2", "5", "10"}));
}

TEST(Axis, ZeroStandsLeftOfTheSmallestValueOfALogarithmicAxis) {
  const Axis axis = Axis::logarithmic(0.01, 100, true);
  EXPECT_EQ(labels(axis).front(), "0");
  EXPECT_GT(axis.position(0), 0);
  EXPECT_LT(axis.position(0), axis.position(0.01) - 0.05);
}

TEST(Axis, NamesStandInTheMiddleOfEqualSlots) {
  const Axis axis = Axis::names({"a", "b"});
  EXPECT_EQ(labels(axis), (Labels{"a", "b"}));
  EXPECT_NEAR(axis.position(0), 0.25, 1e-12);
  EXPECT_NEAR(axis.position(1), 0.75, 1e-12);
}

}  // namespace
}  // namespace spikenm::report
