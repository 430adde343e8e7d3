// Threads that help with loops. A waiting thread spins for a moment, since loops follow each other
// closely, and then sleeps: to spin longer would take a core from threads that have work, mostly
// this program's own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace spikenm {

class WorkerPool {
 public:
  WorkerPool() = default;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // The pool of this process. It is never destroyed: workers sleep in it when the process ends. A
  // child made by fork has none of the workers and begins with a new pool.
  static WorkerPool& of_process();

  // Calls `work`, which must not throw, on the caller's thread and on up to `helpers` workers at
  // once, and returns when all calls have ended. It does not wait for a worker that has not begun:
  // the threads that have begun share the work. Returns false, without a call, while the pool helps
  // another caller.
  bool try_run(int helpers, const std::function<void()>& work);

 private:
  using Clock = std::chrono::steady_clock;

  // Decides whether to spin before sleeping: only if the last waits were short. On a shared core,
  // spinning threads make the waits long, and so spinning stops.
  class Patience {
   public:
    // Longer than most gaps between two loops of a training step, shorter than a scheduler's time
    // slice.
    static constexpr std::chrono::microseconds kSpin{200};

    template <class Happened>
    bool spin_until(const Happened& happened) const;
    void learn(Clock::duration waited);

   private:
    static constexpr int kMost = 3;
    int score_ = kMost;
  };

  void open(int helpers, const std::function<void()>& work);
  void close();
  bool start_worker();
  void serve();
  // Returns when try_run has been called more often than `seen` times.
  void await_call(uint64_t seen, Patience& patience);
  void help();
  bool take_place();

  std::mutex caller_;  // held by the caller that is helped; only it uses the next two
  Patience callers_patience_;
  int workers_ = 0;

  // One side changes one of these and then reads a second one; the other side changes the second
  // one and then reads the first. Sequential consistency guarantees that at least one side sees the
  // other's change.
  std::atomic<const std::function<void()>*> work_ = nullptr;  // null: no work to begin
  std::atomic<int> places_ = 0;                               // how many more workers may begin it
  std::atomic<int> helping_ = 0;                              // workers that may be running it
  std::atomic<uint64_t> calls_ = 0;
  std::atomic<Clock::time_point> called_at_, ended_at_;

  std::mutex sleep_;  // held to fall asleep and to wake
  std::condition_variable called_, ended_;
  std::atomic<int> workers_asleep_ = 0;
  std::atomic<bool> caller_asleep_ = false;
};

}  // namespace spikenm
