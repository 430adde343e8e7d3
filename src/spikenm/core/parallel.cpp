#include "spikenm/core/parallel.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace spikenm {
namespace {

std::atomic<int> thread_count{0};

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
  grain = std::clamp<int64_t>(grain, 1, n);
  const int64_t n_chunks = (n + grain - 1) / grain;
  if (n_chunks == 1 || threads() == 1 || omp_in_parallel()) {
    for (int64_t c = 0; c < n_chunks; ++c) body(c * grain, std::min(n, (c + 1) * grain));
    return;
  }
  std::vector<std::exception_ptr> failures(static_cast<size_t>(n_chunks));
#pragma omp parallel num_threads(threads())
  {
    // A library that opens a team of its own inside a chunk gets one thread, and must know so
    // before it plans: oneDNN's reductions wait for every thread they planned for.
    omp_set_num_threads(1);
#pragma omp for schedule(dynamic, 1)
    for (int64_t c = 0; c < n_chunks; ++c) {
      try {
        body(c * grain, std::min(n, (c + 1) * grain));
      } catch (...) {  // an exception may not leave an OpenMP region; it is rethrown below
        failures[static_cast<size_t>(c)] = std::current_exception();
      }
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
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
