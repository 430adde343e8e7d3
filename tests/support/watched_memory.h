// The memory of tensors on the CPU, watched: the most at one time, and what happens when there is
// none.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>

namespace spikenm::test {

// Counts tensors that are made while it lives.
class WatchedMemory : public c10::Allocator {
 public:
  // `before_each` is called before each tensor gets its memory, by the thread that wants it.
  explicit WatchedMemory(std::function<void()> before_each = [] {})
      : before_each_(std::move(before_each)) {
    c10::SetCPUAllocator(this, kPriority);
  }
  ~WatchedMemory() override { c10::SetCPUAllocator(default_, kPriority); }
  WatchedMemory(const WatchedMemory&) = delete;
  WatchedMemory& operator=(const WatchedMemory&) = delete;

  // Most bytes that the counted tensors held at one time.
  [[nodiscard]] int64_t peak() const {
    const std::lock_guard lock(counts_->mutex);
    return counts_->peak;
  }

  c10::DataPtr allocate(size_t n) override {
    before_each_();
    auto memory = std::make_shared<c10::DataPtr>(default_->allocate(n));
    counts_->add(static_cast<int64_t>(n));
    return c10::InefficientStdFunctionContext::makeDataPtr(
        memory->get(),
        [memory, n, counts = counts_](void*) { counts->add(-static_cast<int64_t>(n)); },
        c10::Device(c10::kCPU));
  }
  void copy_data(void* to, const void* from, size_t n) const override { std::memcpy(to, from, n); }

 private:
  static constexpr uint8_t kPriority = 1;  // above the default's

  struct Counts {  // tensors may outlive the watch
    std::mutex mutex;
    int64_t now = 0, peak = 0;
    void add(int64_t bytes) {
      const std::lock_guard lock(mutex);
      now += bytes;
      peak = std::max(peak, now);
    }
  };

  std::function<void()> before_each_;
  c10::Allocator* default_ = c10::GetDefaultCPUAllocator();
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace spikenm::test
