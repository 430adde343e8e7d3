#include "spikenm/core/background_task.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>

namespace spikenm {
namespace {

TEST(BackgroundTask, IsBusyUntilItsTaskEnds) {
  BackgroundTask task;
  EXPECT_FALSE(task.is_busy());
  std::promise<void> gate;
  task.start([opened = gate.get_future().share()] { opened.wait(); });
  EXPECT_TRUE(task.is_busy());
  task.look();  // does not wait
  EXPECT_TRUE(task.is_busy());
  gate.set_value();
  task.finish();
  EXPECT_FALSE(task.is_busy());
}

TEST(BackgroundTask, WhatATaskThrowsComesOnceFromTheNextCall) {
  BackgroundTask task;
  task.start([] { throw std::runtime_error("full"); });
  while (task.is_busy()) {
  }
  EXPECT_THROW(task.look(), std::runtime_error);
  task.look();
  task.finish();

  task.start([] { throw std::runtime_error("full"); });
  bool ran = false;
  EXPECT_THROW(task.start([&] { ran = true; }), std::runtime_error);
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace spikenm
