#include "spikenm/core/parallel.h"

#include "spikenm/core/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace spikenm {
namespace {

std::atomic<int> thread_count{0};

// Whether this thread runs a chunk of a loop. A loop inside that chunk is run by this thread alone.
thread_local bool in_chunk = false;

// The failure of the earliest chunk that failed.
class FirstFailure {
 public:
  void add(int64_t chunk, std::exception_ptr failure) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure_ && chunk_ < chunk) return;
    chunk_ = chunk;
    failure_ = std::move(failure);
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  int64_t chunk_ = 0;
  std::exception_ptr failure_;
};

struct Chunks {
  int64_t n, grain;

  [[nodiscard]] int64_t count() const { return (n + grain - 1) / grain; }
  void run(int64_t chunk, const std::function<void(int64_t, int64_t)>& body) const {
    body(chunk * grain, std::min(n, (chunk + 1) * grain));
  }
};

}  // namespace

void set_threads(int n) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  thread_count = n > 0 ? n : cores;
}

int threads() {
  if (thread_count == 0) set_threads(0);
  return thread_count;
}

void parallel_for(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& body) {
  if (n <= 0) return;
  const Chunks chunks{.n = n, .grain = std::clamp<int64_t>(grain, 1, n)};
  const int64_t count = chunks.count();

  FirstFailure failure;
  std::atomic<int64_t> next = 0;
  const auto work = [&] {
    in_chunk = true;
    for (int64_t chunk = next++; chunk < count; chunk = next++) {
      try {
        chunks.run(chunk, body);
      } catch (...) {  // must not leave a worker; rethrown below
        failure.add(chunk, std::current_exception());
      }
    }
    in_chunk = false;
  };

  const int64_t helpers = std::min<int64_t>(threads(), count) - 1;
  if (helpers > 0 && !in_chunk &&
      WorkerPool::of_process().try_run(static_cast<int>(helpers), std::ref(work)))
    return failure.rethrow();

  for (int64_t chunk = 0; chunk < count; ++chunk) chunks.run(chunk, body);
}

double parallel_sum(int64_t n, int64_t grain, const std::function<double(int64_t, int64_t)>& body) {
  if (n <= 0) return 0;
  grain = std::clamp<int64_t>(grain, 1, n);
  std::vector<double> partial(static_cast<size_t>((n + grain - 1) / grain));
  parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    partial[static_cast<size_t>(begin / grain)] = body(begin, end);
  });
  double sum = 0;
  for (const double p : partial) sum += p;
  return sum;
}

}  // namespace spikenm
