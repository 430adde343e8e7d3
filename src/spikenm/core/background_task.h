// Runs work on another thread, one task at a time. If a task throws, the next call here throws the
// same to the caller.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <utility>

namespace spikenm {

class BackgroundTask {
 public:
  BackgroundTask() = default;
  // Waits for the running task. What it throws is lost.
  ~BackgroundTask() {
    if (running_.valid()) running_.wait();
  }
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  // Waits for the task before, then starts this one.
  void start(std::function<void()> work) {
    finish();
    running_ = std::async(std::launch::async, std::move(work));
  }
  // Whether a task has not ended yet.
  [[nodiscard]] bool is_busy() const {
    using namespace std::chrono_literals;
    return running_.valid() && running_.wait_for(0s) != std::future_status::ready;
  }
  // Never waits. If a task has ended with an exception, throws it.
  void look() {
    if (!is_busy()) finish();
  }
  // Waits for the running task, and throws what it threw.
  void finish() {
    if (running_.valid()) running_.get();
  }

 private:
  std::future<void> running_;
};

}  // namespace spikenm
