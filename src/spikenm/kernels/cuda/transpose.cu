// A block transposes one tile in shared memory, so that reads and writes are both in order of
// memory.
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"
#include "spikenm/kernels/transpose.h"

#include <algorithm>

namespace spikenm::kernels {
namespace {

constexpr int kLanes = 32, kLines = kThreadsPerBlock / kLanes;

// A tile is 32 V values wide and high. A thread reads V neighbours of a line at a time, and writes
// one column of V neighbouring lines.
template <class T, int V>
__global__ void transpose(int64_t planes, int rows, int columns, const T* from, T* to) {
  constexpr int kTile = kLanes * V;
  __shared__ alignas(16) T tile[kTile][kTile + V];
  const int row = blockIdx.x * kTile, column = blockIdx.y * kTile, lane = threadIdx.x * V;
  const int64_t size = static_cast<int64_t>(rows) * columns;

  for (int64_t plane = blockIdx.z; plane < planes; plane += gridDim.z) {
    const T* const in = from + plane * size;
    T* const out = to + plane * size;
#pragma unroll
    for (int i = threadIdx.y; i < kTile; i += kLines)
      if (row + i < rows && column + lane < columns)
        store(&tile[i][lane],
              load<T, V>(in + static_cast<int64_t>(row + i) * columns + column + lane));
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.y; i < kTile; i += kLines)
      if (column + i < columns && row + lane < rows) {
        Pack<T, V> pack;
        for (int j = 0; j < V; ++j) pack.value[j] = tile[lane + j][i];
        store(out + static_cast<int64_t>(column + i) * rows + row + lane, pack);
      }
    __syncthreads();
  }
}

template <int V>
void launch(int64_t planes, int64_t rows, int64_t columns, Real real, const void* from, void* to,
            cudaStream_t stream) {
  constexpr int64_t kTile = kLanes * V;
  const dim3 blocks(static_cast<unsigned>((rows + kTile - 1) / kTile),
                    static_cast<unsigned>((columns + kTile - 1) / kTile),
                    static_cast<unsigned>(std::min<int64_t>(planes, 65535)));
  with_type(real, [&](auto zero) {
    using T = decltype(zero);
    transpose<T, V><<<blocks, dim3(kLanes, kLines), 0, stream>>>(
        planes, static_cast<int>(rows), static_cast<int>(columns), static_cast<const T*>(from),
        static_cast<T*>(to));
  });
}

}  // namespace

void transpose_cuda(int64_t planes, int64_t rows, int64_t columns, Real real, const void* from,
                    void* to, void* stream) {
  if (planes * rows * columns == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  const bool in_pairs =
      rows % 2 == 0 && columns % 2 == 0 && is_aligned(from, 8) && is_aligned(to, 8);
  if (in_pairs) {
    launch<2>(planes, rows, columns, real, from, to, s);
  } else {
    launch<1>(planes, rows, columns, real, from, to, s);
  }
  check_launch("transpose");
}

}  // namespace spikenm::kernels
