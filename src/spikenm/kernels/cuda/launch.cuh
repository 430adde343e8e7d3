// Grid arithmetic and the error check of every launch.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace spikenm::kernels {

constexpr int kThreadsPerBlock = 256;

inline unsigned grid_for(int64_t n) {
  return static_cast<unsigned>((n + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

// Index of the thread in a grid of grid_for() blocks.
__device__ __forceinline__ int64_t thread_index() {
  return blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
}

inline void check_launch(const char* kernel) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(kernel) + ": " + cudaGetErrorString(status));
}

}  // namespace spikenm::kernels
