#include "spikenm/core/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spikenm {
namespace {

constexpr int64_t kBuckets = 40;

}  // namespace

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

  const double width = (found.max - found.min) / kBuckets;
  const int64_t buckets = width > 0 ? kBuckets : 1;
  for (int64_t i = 1; i < buckets; ++i)
    found.limits.push_back(found.min + width * static_cast<double>(i));
  found.limits.push_back(found.max);

  std::vector<int64_t> counts(static_cast<size_t>(buckets));
  const double scale = width > 0 ? 1 / width : 0;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const auto bucket = static_cast<int64_t>((value - found.min) * scale);
    ++counts[static_cast<size_t>(std::min(bucket, buckets - 1))];
  }
  found.counts.assign(counts.begin(), counts.end());
  return found;
}

}  // namespace spikenm
