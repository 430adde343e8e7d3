#include "spikenm/sparsity/conn_control.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace spikenm::sparsity {
namespace {

TEST(ConnControl, PushesTowardsTheTargetFromBothSides) {
  EXPECT_GT(ConnControl(0.1).update(0.2), 0);
  EXPECT_LT(ConnControl(0.1).update(0.05), 0);
  EXPECT_EQ(ConnControl(0.1).update(0.1), 0);
}

// 2 log 1.1 + 0.05 log 1.1, and 0.05 more for the error summed before.
TEST(ConnControl, IsTwiceTheErrorPlusATwentiethOfItsSum) {
  ConnControl control(0.1);
  EXPECT_NEAR(control.update(0.11), 2.05 * std::log(1.1), 1e-12);
  EXPECT_NEAR(control.update(0.11), 2.10 * std::log(1.1), 1e-12);
}

TEST(ConnControl, IsBoundedAlsoWhenNothingLives) {
  ConnControl control(0.1);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(control.update(0), -2);
  for (int i = 0; i < 1000; ++i) EXPECT_LE(control.update(0.16), 3);
}

TEST(ConnControl, SumsNothingOnTheWayNorAtItsLimit) {
  ConnControl far(0.1);
  for (int i = 0; i < 100; ++i) far.update(1);
  EXPECT_EQ(far.update(0.1), 0);
  ConnControl soon(0.1), late(0.1);  // at the limit after 45 updates
  for (int i = 0; i < 100; ++i) soon.update(0.16);
  for (int i = 0; i < 10000; ++i) late.update(0.16);
  EXPECT_NEAR(soon.update(0.1), late.update(0.1), 1e-12);
}

// What the search is to the controller: connections go at a speed that follows the pull with
// Adam's lag of ten steps, while the task pulls steadily in one direction.
double end_of_search(double target, double task_pull, double speed) {
  ConnControl control(target);
  double conn = 0.25, momentum = 0;
  for (int step = 0; step < 150; ++step) {
    const double pull = control.update(conn) + task_pull;
    momentum = 0.9 * momentum + 0.1 * pull / std::sqrt(1 + pull * pull);
    conn *= std::exp(-speed * momentum);
  }
  return conn;
}

TEST(ConnControl, SettlesOnTheTargetAgainstTheTask) {
  for (const double target : {0.01, 0.1, 0.3, 0.9})
    for (const double task_pull : {-0.3, 0.0, 0.3})
      for (const double speed : {0.05, 0.1, 0.3, 1.0})
        EXPECT_NEAR(end_of_search(target, task_pull, speed) / target, 1, 0.05)
            << target << " " << task_pull << " " << speed;
}

}  // namespace
}  // namespace spikenm::sparsity
