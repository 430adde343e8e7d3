// The sum of one value per thread over a block of kThreadsPerBlock, always in the same order.
#pragma once

#include "spikenm/kernels/cuda/launch.cuh"

namespace spikenm::kernels {

// Adds the sum to parts[blockIdx.x]. All threads of the block must call it.
template <class T>
__device__ __forceinline__ void add_block_sum(T value, T* parts) {
  constexpr int kWarps = kThreadsPerBlock / 32;
  __shared__ T warps[kWarps];
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  __syncthreads();  // every thread has read the earlier sum
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < kWarps; ++w) value += warps[w];
  parts[blockIdx.x] += value;
}

}  // namespace spikenm::kernels
