#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/math/augment.h"

namespace spikenm::kernels {
namespace {

// One thread per pixel: neighbouring threads read and write neighbouring columns.
__global__ void augment_pixels(Augment a) {
  const int64_t i = thread_index();
  if (i < a.B * a.H * a.W) augment_pixel(a, i);
}

}  // namespace

void augment_cuda(const Augment& args, void* stream) {
  const int64_t n = args.B * args.H * args.W;
  if (n == 0) return;
  augment_pixels<<<grid_for(n), kThreadsPerBlock, 0, static_cast<cudaStream_t>(stream)>>>(args);
  check_launch("augment");
}

}  // namespace spikenm::kernels
