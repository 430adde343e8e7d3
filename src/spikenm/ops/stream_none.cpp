#include "spikenm/core/error.h"
#include "spikenm/ops/recording.h"
#include "spikenm/ops/stream.h"

namespace spikenm::ops {
namespace {

[[noreturn]] void no_cuda() {
  fail(
      "cuda: this build has no CUDA kernels; build where nvcc and a CUDA torch are, or use the "
      "cpu");
}

}  // namespace

void* current_stream() {
  no_cuda();
}

void run_side_by_side(const at::Device& device, int64_t count,
                      const std::function<void(int64_t)>& work) {
  if (!device.is_cpu()) no_cuda();
  for (int64_t i = 0; i < count; ++i) work(i);
}

void synchronize() {
  no_cuda();
}

double time_on_gpu(const std::function<void()>&) {
  no_cuda();
}

int64_t held_memory() {
  no_cuda();
}

int64_t peak_memory() {
  no_cuda();
}

void reset_peak_memory() {
  no_cuda();
}

int64_t spare_memory() {
  no_cuda();
}

int64_t recorded_memory() {
  no_cuda();
}

void use_own_stream() {
  no_cuda();
}

std::unique_ptr<Recording> Recording::record(const std::function<void()>&) {
  no_cuda();
}

bool cuda_is_available() {
  return false;
}

}  // namespace spikenm::ops
