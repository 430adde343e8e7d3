#include "spikenm/core/worker_pool.h"

#include <pthread.h>

#include <algorithm>
#include <system_error>
#include <thread>

namespace spikenm {
namespace {

void pause() {
#if defined(SPIKENM_X86)
  __builtin_ia32_pause();
#endif
}

std::atomic<WorkerPool*> the_pool = nullptr;

}  // namespace

template <class Happened>
bool WorkerPool::Patience::spin_until(const Happened& happened) const {
  if (happened()) return true;
  if (score_ == 0) return false;
  constexpr int kLooksPerClock = 32;  // reading the clock costs as much as a few checks
  const Clock::time_point end = Clock::now() + kSpin;
  do {
    for (int i = 0; i < kLooksPerClock; ++i) {
      pause();
      if (happened()) return true;
    }
  } while (Clock::now() < end);
  return false;
}

void WorkerPool::Patience::learn(Clock::duration waited) {
  score_ = std::clamp(score_ + (waited < kSpin ? 1 : -1), 0, kMost);
}

WorkerPool& WorkerPool::of_process() {
  static const int at_fork = [] {
    the_pool = new WorkerPool;
    return ::pthread_atfork(nullptr, nullptr, [] { the_pool = new WorkerPool; });
  }();
  static_cast<void>(at_fork);
  return *the_pool;
}

bool WorkerPool::try_run(int helpers, const std::function<void()>& work) {
  const std::unique_lock<std::mutex> caller(caller_, std::try_to_lock);
  if (!caller.owns_lock()) return false;
  open(helpers, work);
  work();
  close();
  return true;
}

void WorkerPool::open(int helpers, const std::function<void()>& work) {
  while (workers_ < helpers && start_worker()) ++workers_;
  called_at_ = Clock::now();
  places_ = helpers;
  work_ = &work;
  ++calls_;

  int to_wake = std::min<int>(helpers, workers_asleep_);
  if (to_wake == 0) return;
  // A worker that counts as asleep checked for a call while it held sleep_, and holds it until it
  // sleeps.
  const std::lock_guard<std::mutex> lock(sleep_);
  for (; to_wake > 0; --to_wake) called_.notify_one();
}

void WorkerPool::close() {
  work_ = nullptr;
  const auto ended = [&] { return helping_ == 0; };
  if (ended()) return;
  const Clock::time_point begin = Clock::now();
  if (!callers_patience_.spin_until(ended)) {
    std::unique_lock<std::mutex> lock(sleep_);
    caller_asleep_ = true;
    ended_.wait(lock, ended);
    caller_asleep_ = false;
  }
  callers_patience_.learn(ended_at_.load() - begin);
}

// When the system gives no more threads, the existing ones do the work.
bool WorkerPool::start_worker() {
  try {
    std::thread([this] { serve(); }).detach();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void WorkerPool::serve() {
  Patience patience;
  for (uint64_t seen = 0;;) {
    await_call(seen, patience);
    seen = calls_;
    help();
  }
}

void WorkerPool::await_call(uint64_t seen, Patience& patience) {
  const auto called = [&] { return calls_ != seen; };
  if (called()) return;
  const Clock::time_point begin = Clock::now();
  if (!patience.spin_until(called)) {
    std::unique_lock<std::mutex> lock(sleep_);
    ++workers_asleep_;
    called_.wait(lock, called);
    --workers_asleep_;
  }
  patience.learn(called_at_.load() - begin);
}

// `work` exists while anyone helps: the caller first clears work_ and then waits until helping_ is
// 0.
void WorkerPool::help() {
  ++helping_;
  const std::function<void()>* const work = work_;
  if (work != nullptr && take_place()) {
    (*work)();
    ended_at_ = Clock::now();
  }
  if (--helping_ > 0 || !caller_asleep_) return;
  const std::lock_guard<std::mutex> lock(sleep_);
  ended_.notify_one();
}

bool WorkerPool::take_place() {
  int left = places_;
  while (left > 0 && !places_.compare_exchange_weak(left, left - 1)) {
  }
  return left > 0;
}

}  // namespace spikenm
