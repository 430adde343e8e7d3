// Work that runs beside the caller, one piece at a time. What it throws is thrown to the caller.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <utility>

namespace spikenm {

class BackgroundTask {
 public:
  BackgroundTask() = default;
  // Waits; what the last piece threw is lost.
  ~BackgroundTask() {
    if (running_.valid()) running_.wait();
  }
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  // Waits for the piece before, then starts this one.
  void start(std::function<void()> work) {
    finish();
    running_ = std::async(std::launch::async, std::move(work));
  }
  // Throws what a piece that has ended threw; returns at once.
  void look() {
    using namespace std::chrono_literals;
    if (running_.valid() && running_.wait_for(0s) == std::future_status::ready) finish();
  }
  // Waits for the piece that runs.
  void finish() {
    if (running_.valid()) running_.get();
  }

 private:
  std::future<void> running_;
};

}  // namespace spikenm
