#include "spikenm/core/error.h"
#include "spikenm/ops/recording.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <atomic>
#include <exception>

namespace spikenm::ops {
namespace {

void check(cudaError_t status, const char* what) {
  SPIKENM_CHECK(status == cudaSuccess, "cuda graph: {}: {}", what, cudaGetErrorString(status));
}

// Whether a stream is being recorded: the stream of the recording, or one that it waits for.
bool is_recorded(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status == cudaStreamCaptureStatusActive;
}

// While this lives, torch's allocator takes memory for recorded streams from a pool that only the
// recording uses.
class PoolScope {
 public:
  PoolScope(c10::DeviceIndex device, c10::MempoolId_t pool) : device_(device), pool_(pool) {
    allocator().beginAllocateToPool(device, pool, is_recorded);
  }
  ~PoolScope() { allocator().endAllocateToPool(device_, pool_); }
  PoolScope(const PoolScope&) = delete;
  PoolScope& operator=(const PoolScope&) = delete;

  static c10::cuda::CUDACachingAllocator::CUDAAllocator& allocator() {
    return *c10::cuda::CUDACachingAllocator::get();
  }

 private:
  c10::DeviceIndex device_;
  c10::MempoolId_t pool_;
};

int64_t reserved_memory(c10::DeviceIndex device) {
  return PoolScope::allocator()
      .getDeviceStats(device)
      .reserved_bytes[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)]
      .current;
}

std::atomic<int64_t> recorded_bytes{0};

c10::MempoolId_t new_pool() {
  static std::atomic<uint64_t> count{0};
  return {0, (uint64_t{1} << 32) + ++count};  // larger than any number that torch itself uses
}

class CudaRecording : public Recording {
 public:
  explicit CudaRecording(const std::function<void()>& work)
      : device_(c10::cuda::current_device()), pool_(new_pool()) {
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
    const int64_t reserved_before = reserved_memory(device_);
    cudaGraph_t graph = nullptr;
    std::exception_ptr failure;

    {
      const PoolScope pool(device_, pool_);
      // In this mode other threads, such as the loader's, may still allocate memory.
      check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin");
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
      cudaGetLastError();  // whatever ended the capture must not be found by the next launch
      if (failure == nullptr && ended != cudaSuccess) {
        failure = std::make_exception_ptr(
            Error(fmt::format("cuda graph: recording ended with {}", cudaGetErrorString(ended))));
      }
    }

    if (failure == nullptr) {
      const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
      if (status != cudaSuccess)
        failure = std::make_exception_ptr(
            Error(fmt::format("cuda graph: instantiate: {}", cudaGetErrorString(status))));
    }

    if (graph != nullptr) cudaGraphDestroy(graph);
    if (failure != nullptr) {
      PoolScope::allocator().releasePool(device_, pool_);
      std::rethrow_exception(failure);
    }
    bytes_ = reserved_memory(device_) - reserved_before;
    recorded_bytes += bytes_;
  }

  ~CudaRecording() override {
    c10::cuda::device_synchronize();
    cudaGraphExecDestroy(executable_);
    PoolScope::allocator().releasePool(device_, pool_);
    recorded_bytes -= bytes_;
  }
  CudaRecording(const CudaRecording&) = delete;
  CudaRecording& operator=(const CudaRecording&) = delete;

  void replay() override {
    check(cudaGraphLaunch(executable_, c10::cuda::getCurrentCUDAStream().stream()), "launch");
  }

 private:
  c10::DeviceIndex device_;
  c10::MempoolId_t pool_;
  cudaGraphExec_t executable_ = nullptr;
  int64_t bytes_ = 0;  // that the pool took
};

}  // namespace

void use_own_stream() {
  c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromPool());
}

int64_t recorded_memory() {
  return recorded_bytes;
}

std::unique_ptr<Recording> Recording::record(const std::function<void()>& work) {
  return std::make_unique<CudaRecording>(work);
}

}  // namespace spikenm::ops
