// Long walks over a dataset: many threads work, one takes the results in order and reports
// progress.
#pragma once

#include "spikenm/core/interrupt.h"
#include "spikenm/core/parallel.h"
#include "spikenm/core/stopwatch.h"
#include "spikenm/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace spikenm::data {

// Calls work(i) for i in 0 .. n-1 on several threads, and take(i, result) in order on the caller's:
// sums made in take() have the same bits with any number of threads. `what` names the counted
// things. `progress` is also called on the caller's thread; an exception from it ends the walk, and
// so does an interrupt.
template <class Work, class Take>
void walk(int64_t n, std::string_view what, const ProgressCallback& progress, Work&& work,
          Take&& take) {
  using Result = std::invoke_result_t<Work, int64_t>;
  constexpr int64_t kGrain = 4, kLargestRound = 1 << 14;
  // Threads wait for each other at the end of a round, so rounds grow until that time is small.
  // With slow work (a recording may take a tenth of a second) rounds stay short, so that progress
  // is reported often.
  int64_t round = 8 * kGrain * threads();
  std::vector<Result> results;
  for (int64_t first = 0; first < n; first += std::ssize(results)) {
    if (progress)
      progress(static_cast<double>(first) / static_cast<double>(n),
               fmt::format("{} {}/{}", what, first, n));

    const Stopwatch watch;
    results.resize(static_cast<size_t>(std::min(round, n - first)));
    parallel_for(std::ssize(results), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        throw_if_interrupted(std::string("at ").append(what));  // one item may take a second
        results[static_cast<size_t>(i)] = work(first + i);
      }
    });

    for (size_t i = 0; i < results.size(); ++i)
      take(first + static_cast<int64_t>(i), std::move(results[i]));
    if (watch.seconds() < 0.1) round = std::min(2 * round, kLargestRound);
  }
}

}  // namespace spikenm::data
