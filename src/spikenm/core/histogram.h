// Counts values into buckets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace spikenm {

struct Histogram {
  double min = 0, max = 0, sum = 0, sum_squares = 0;
  int64_t n = 0;
  std::vector<double> limits;  // the upper end of each bucket; the first begins at min
  std::vector<double> counts;  // of each bucket
};

// Equal buckets from the smallest value to the largest; one bucket if they are equal, none without
// values. Values that are not finite do not count.
Histogram histogram_of(std::span<const float> values);

}  // namespace spikenm
