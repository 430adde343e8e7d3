// Work is cut by size, never by the number of threads, and partial sums are added in order: a
// result has the same bits with one thread and with many.
#pragma once

#include <cstdint>
#include <functional>

namespace spikenm {

// The number of threads parallel_for may use; at least 1. Zero asks for all cores.
void set_threads(int n);
int threads();

// Calls body(begin, end) for the chunks [0,grain), [grain,2*grain), … of [0,n), on several threads.
// The first exception (by chunk) is rethrown once all chunks have ended.
void parallel_for(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

// Sum of body(begin, end) over the same chunks, added in the chunks' order.
double parallel_sum(int64_t n, int64_t grain, const std::function<double(int64_t, int64_t)>& body);

}  // namespace spikenm
