#include "spikenm/core/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spikenm {
namespace {

constexpr int64_t kBuckets = 40;

// Of one bucket; 0: all values are equal.
double bucket_width(double min, double max) {
  return (max - min) / kBuckets;
}

}  // namespace

std::vector<double> bucket_limits(double min, double max) {
  const double width = bucket_width(min, max);
  std::vector<double> limits;
  for (int64_t i = 1; width > 0 && i < kBuckets; ++i)
    limits.push_back(min + width * static_cast<double>(i));
  limits.push_back(max);
  return limits;
}

double bucket_scale(double min, double max) {
  const double width = bucket_width(min, max);
  return width > 0 ? 1 / width : 0;
}

Histogram histogram_of(std::span<const float> values) {
  Histogram found;
  float least = std::numeric_limits<float>::infinity(), most = -least;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
    found.sum += value;
    found.sum_squares += double{value} * value;
    ++found.n;
  }
  if (found.n == 0) return found;
  found.min = least;
  found.max = most;

  found.limits = bucket_limits(found.min, found.max);
  const auto buckets = static_cast<int64_t>(found.limits.size());
  std::vector<int64_t> counts(static_cast<size_t>(buckets));
  const double scale = bucket_scale(found.min, found.max);
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const auto bucket = static_cast<int64_t>((value - found.min) * scale);
    ++counts[static_cast<size_t>(std::min(bucket, buckets - 1))];
  }
  found.counts.assign(counts.begin(), counts.end());
  return found;
}

}  // namespace spikenm
