// The only file that asks torch for CUDA; built where the CUDA kernels are.
#include "spikenm/core/error.h"
#include "spikenm/ops/stream.h"

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <dlfcn.h>

namespace spikenm::ops {

void* current_stream() {
  return c10::cuda::getCurrentCUDAStream().stream();
}

void synchronize() {
  c10::cuda::device_synchronize();
}

int64_t peak_memory() {
  return c10::cuda::CUDACachingAllocator::getDeviceStats(c10::cuda::current_device())
      .allocated_bytes[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)]
      .peak;
}

void reset_peak_memory() {
  c10::cuda::CUDACachingAllocator::resetPeakStats(c10::cuda::current_device());
}

// torch's CUDA kernels register themselves when their library is loaded. It is loaded by hand, and
// only when asked for: linked in, the libraries it brings along would take over symbols of the
// whole program (and a run on the CPU would wait for a gigabyte to load).
bool cuda_is_available() {
  static const bool available = [] {
    if (c10::cuda::device_count() == 0) return false;
    SPIKENM_CHECK(::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_LOCAL) != nullptr,
                  "cuda: torch's CUDA library cannot be loaded: {}", ::dlerror());
    return true;
  }();
  return available;
}

}  // namespace spikenm::ops
