// The places of the windows of convolutions and pools.
#pragma once

#include <algorithm>
#include <cstdint>

namespace spikenm::graph {

// Places along an axis, `end` not among them.
struct AxisRange {
  int64_t begin = 0, end = 0;
  [[nodiscard]] int64_t size() const { return std::max<int64_t>(0, end - begin); }
};

// What a window of `size` that begins at `first` covers of an axis: padding is left out.
constexpr AxisRange covered(int64_t first, int64_t size, int64_t length) {
  return {std::max<int64_t>(first, 0), std::min(first + size, length)};
}

struct SynapseGeometry {
  int64_t stride = 1, padding = 0;

  // How many positions a kernel has along an axis.
  [[nodiscard]] int64_t out(int64_t length, int64_t kernel) const {
    return (length + 2 * padding - kernel) / stride + 1;
  }
  // The inputs that output `place` reads along an axis of this length.
  [[nodiscard]] AxisRange inputs(int64_t place, int64_t kernel, int64_t length) const {
    return covered(place * stride - padding, kernel, length);
  }
};

enum class PoolKind : int32_t { kAverage, kMax };

// Kernels store the position of a maximum inside its window in one byte.
constexpr int64_t kLargestPool = 15;

// Windows of size x size, `stride` apart. Padding is for max pools: padding is never the maximum.
struct PoolGeometry {
  PoolKind kind = PoolKind::kAverage;
  int64_t size = 2, stride = 2, padding = 0;

  // How many windows fit along an axis.
  [[nodiscard]] int64_t out(int64_t length) const {
    return (length + 2 * padding - size) / stride + 1;
  }
  // The inputs that window `place` reads along an axis of this length.
  [[nodiscard]] AxisRange inputs(int64_t place, int64_t length) const {
    return covered(place * stride - padding, size, length);
  }
};

}  // namespace spikenm::graph
