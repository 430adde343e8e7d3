#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/math/optimizer_step.h"

namespace spikenm::kernels {
namespace {

__global__ void adam(AdamStep a) {
  const int64_t i = thread_index();
  if (i < a.n) adam_element(a, i);
}

__global__ void sgd(SgdStep a) {
  const int64_t i = thread_index();
  if (i < a.n) sgd_element(a, i);
}

}  // namespace

void adam_step_cuda(const AdamStep& args, void* stream) {
  if (args.n == 0) return;
  adam<<<grid_for(args.n), kThreadsPerBlock, 0, static_cast<cudaStream_t>(stream)>>>(args);
  check_launch("adam_step");
}

void sgd_step_cuda(const SgdStep& args, void* stream) {
  if (args.n == 0) return;
  sgd<<<grid_for(args.n), kThreadsPerBlock, 0, static_cast<cudaStream_t>(stream)>>>(args);
  check_launch("sgd_step");
}

}  // namespace spikenm::kernels
