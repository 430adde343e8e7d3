#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/math/bad_steps.h"

namespace spikenm::kernels {
namespace {

constexpr int kLanes = 32;

// One warp: every lane looks at some of the values, the first lane counts.
__global__ void see(SeenStep step, BadSteps* state) {
  int blamed = -1;
  for (int64_t i = threadIdx.x; i < step.n; i += kLanes)
    if (!isfinite(step.values[i])) blamed = static_cast<int>(i);
  blamed = __reduce_max_sync(0xffffffffu, blamed);
  if (threadIdx.x == 0) count_step(step, blamed, *state);
}

}  // namespace

void see_step_cuda(const SeenStep& step, BadSteps* state, void* stream) {
  see<<<1, kLanes, 0, static_cast<cudaStream_t>(stream)>>>(step, state);
  check_launch("see_step");
}

}  // namespace spikenm::kernels
