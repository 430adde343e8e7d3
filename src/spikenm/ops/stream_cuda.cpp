// torch's CUDA functions are called only here and in recording_cuda.cpp; both are built only with
// the CUDA kernels.
#include "spikenm/core/error.h"
#include "spikenm/ops/recording.h"
#include "spikenm/ops/stream.h"

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <vector>

namespace spikenm::ops {
namespace {

using c10::cuda::CUDAStream;

void check(cudaError_t status) {
  SPIKENM_CHECK(status == cudaSuccess, "cuda: {}", cudaGetErrorString(status));
}

constexpr auto kAllPools = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);

c10::CachingDeviceAllocator::DeviceStats memory_now() {
  return c10::cuda::CUDACachingAllocator::getDeviceStats(c10::cuda::current_device());
}

// The side streams of a thread, and an event per stream that says when it is done.
class SideStreams {
 public:
  static SideStreams& here() {
    thread_local std::map<c10::DeviceIndex, SideStreams> by_device;
    return by_device[c10::cuda::current_device()];
  }

  void run(int64_t count, const std::function<void(int64_t)>& work) {
    const auto used = static_cast<size_t>(std::min<int64_t>(count, kStreams));
    const CUDAStream own = c10::cuda::getCurrentCUDAStream();
    const Return back{own};
    grow(used);

    check(cudaEventRecord(begun_, own.stream()));
    for (size_t k = 0; k < used; ++k) check(cudaStreamWaitEvent(lanes_[k].stream.stream(), begun_));

    for (int64_t i = 0; i < count; ++i) {
      c10::cuda::setCurrentCUDAStream(lanes_[static_cast<size_t>(i) % used].stream);
      work(i);
    }

    for (size_t k = 0; k < used; ++k) {
      check(cudaEventRecord(lanes_[k].done, lanes_[k].stream.stream()));
      check(cudaStreamWaitEvent(own.stream(), lanes_[k].done));
    }
  }

 private:
  static constexpr int64_t kStreams = 4;  // more streams are not faster
  struct Lane {
    CUDAStream stream;
    cudaEvent_t done = nullptr;
  };
  struct Return {
    CUDAStream stream;
    ~Return() { c10::cuda::setCurrentCUDAStream(stream); }
  };

  void grow(size_t count) {
    if (begun_ == nullptr) check(cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming));
    while (lanes_.size() < count) {
      Lane lane{.stream = c10::cuda::getStreamFromPool()};
      check(cudaEventCreateWithFlags(&lane.done, cudaEventDisableTiming));
      lanes_.push_back(lane);
    }
  }

  std::vector<Lane> lanes_;
  cudaEvent_t begun_ = nullptr;  // events live as long as their thread
};

}  // namespace

void run_side_by_side(const at::Device& device, int64_t count,
                      const std::function<void(int64_t)>& work) {
  if (device.is_cpu()) {
    for (int64_t i = 0; i < count; ++i) work(i);
  } else if (count > 0) {
    SideStreams::here().run(count, work);
  }
}

void* current_stream() {
  return c10::cuda::getCurrentCUDAStream().stream();
}

void synchronize() {
  c10::cuda::device_synchronize();
}

double time_on_gpu(const std::function<void()>& work) {
  cudaEvent_t begun = nullptr, ended = nullptr;
  check(cudaEventCreate(&begun));
  check(cudaEventCreate(&ended));
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();

  check(cudaEventRecord(begun, stream));
  work();
  check(cudaEventRecord(ended, stream));
  check(cudaEventSynchronize(ended));

  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begun, ended));
  cudaEventDestroy(begun);
  cudaEventDestroy(ended);
  return milliseconds;
}

int64_t held_memory() {
  return memory_now().allocated_bytes[kAllPools].current;
}

int64_t peak_memory() {
  return memory_now().allocated_bytes[kAllPools].peak;
}

void reset_peak_memory() {
  c10::cuda::CUDACachingAllocator::resetPeakStats(c10::cuda::current_device());
}

int64_t spare_memory() {
  size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  const double share =
      c10::cuda::CUDACachingAllocator::getMemoryFraction(c10::cuda::current_device());
  const int64_t kept = memory_now().reserved_bytes[kAllPools].current;
  const int64_t most = std::min(static_cast<int64_t>(free) + kept,
                                static_cast<int64_t>(share * static_cast<double>(total)));
  return most - peak_memory() - recorded_memory();
}

// torch's CUDA kernels register themselves when their library is loaded. It is loaded with dlopen,
// and only when needed: if it were linked, the libraries that it depends on would replace symbols
// of the whole program, and a run on the CPU would wait for a gigabyte to load.
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
