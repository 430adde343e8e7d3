// A block turns one tile round in shared memory, so that reads and writes are both in order.
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"
#include "spikenm/kernels/transpose.h"

#include <algorithm>

namespace spikenm::kernels {
namespace {

constexpr int kTile = 32, kLines = kThreadsPerBlock / kTile;

template <class T>
__global__ void transpose(int64_t planes, int rows, int columns, const T* from, T* to) {
  __shared__ T tile[kTile][kTile + 1];
  const int row = blockIdx.x * kTile, column = blockIdx.y * kTile;
  const int64_t size = static_cast<int64_t>(rows) * columns;
  for (int64_t plane = blockIdx.z; plane < planes; plane += gridDim.z) {
    const T* const in = from + plane * size;
    T* const out = to + plane * size;
    for (int i = threadIdx.y; i < kTile; i += kLines)
      if (row + i < rows && column + static_cast<int>(threadIdx.x) < columns)
        tile[i][threadIdx.x] = in[static_cast<int64_t>(row + i) * columns + column + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < kTile; i += kLines)
      if (column + i < columns && row + static_cast<int>(threadIdx.x) < rows)
        out[static_cast<int64_t>(column + i) * rows + row + threadIdx.x] = tile[threadIdx.x][i];
    __syncthreads();
  }
}

}  // namespace

void transpose_cuda(int64_t planes, int64_t rows, int64_t columns, Real real, const void* from,
                    void* to, void* stream) {
  if (planes * rows * columns == 0) return;
  const dim3 blocks(static_cast<unsigned>((rows + kTile - 1) / kTile),
                    static_cast<unsigned>((columns + kTile - 1) / kTile),
                    static_cast<unsigned>(std::min<int64_t>(planes, 65535)));
  with_type(real, [&](auto zero) {
    using T = decltype(zero);
    transpose<<<blocks, dim3(kTile, kLines), 0, static_cast<cudaStream_t>(stream)>>>(
        planes, static_cast<int>(rows), static_cast<int>(columns), static_cast<const T*>(from),
        static_cast<T*>(to));
  });
  check_launch("transpose");
}

}  // namespace spikenm::kernels
