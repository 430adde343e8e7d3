// The places of the windows of convolutions and pools.
#pragma once

#include <cstdint>

namespace spikenm::graph {

struct SynapseGeometry {
  int64_t stride = 1, padding = 0;

  // How many positions a kernel has along an axis.
  [[nodiscard]] int64_t out(int64_t length, int64_t kernel) const {
    return (length + 2 * padding - kernel) / stride + 1;
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
};

}  // namespace spikenm::graph
