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

// The limits of the buckets of values from `min` to `max`. A value is in the bucket number
// floor((value - min) * scale), the largest one in the last.
std::vector<double> bucket_limits(double min, double max);
double bucket_scale(double min, double max);

}  // namespace spikenm
