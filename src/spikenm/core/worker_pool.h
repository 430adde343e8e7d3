// Threads that help with loops. Who waits spins for a moment, since loops come close together, and
// then sleeps: one that went on spinning would take a core from whoever has work, this program's
// own other threads first of all.
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
  // child made by fork, which has none of the workers, begins with a pool of its own.
  static WorkerPool& of_process();

  // Calls `work`, which must not throw, on the caller's thread and on up to `helpers` workers at
  // once, and returns when all calls have ended. Nobody waits for a worker that has not begun: work
  // is shared out by whoever comes. False, and no call, while the pool helps somebody else.
  bool try_run(int helpers, const std::function<void()>& work);

 private:
  using Clock = std::chrono::steady_clock;

  // Whether to spin before sleeping: where the last waits were short. On a core that is shared,
  // waits are long because of who spins there, and spinning ends.
  class Patience {
   public:
    // Longer than most gaps between two loops of a training step, shorter than a scheduler's turn.
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

  std::mutex caller_;  // held by the one who is helped, who alone touches these two
  Patience callers_patience_;
  int workers_ = 0;

  // Who changes one of these looks at another afterwards, and the other side does so the other way
  // round: in the one order that all agree on (sequential consistency), one of the two sees.
  std::atomic<const std::function<void()>*> work_ = nullptr;  // null: nothing left to begin
  std::atomic<int> places_ = 0;                               // how many more workers may begin it
  std::atomic<int> helping_ = 0;                              // workers that may be in it
  std::atomic<uint64_t> calls_ = 0;
  std::atomic<Clock::time_point> called_at_, ended_at_;

  std::mutex sleep_;  // held to fall asleep and to wake
  std::condition_variable called_, ended_;
  std::atomic<int> workers_asleep_ = 0;
  std::atomic<bool> caller_asleep_ = false;
};

}  // namespace spikenm
