// The blocks of a launch are divided among its parameters:
//
//   parameter   0 0 0 0 0 | 1 | 2 2 | …     a block: kPerBlock elements of one parameter
//   blockIdx.x  0 1 2 3 4   5   6 7
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/math/optimizer_step.h"

#include <algorithm>

namespace spikenm::kernels {
namespace {

constexpr int kPerThread = 8;
constexpr int64_t kPerBlock = kThreadsPerBlock * kPerThread;
constexpr int kMaxParameters = 32;  // per launch: its arguments must fit into 4 KiB

template <class Step>
struct Batch {
  Step step[kMaxParameters];
  unsigned first_block[kMaxParameters + 1];
};

__device__ __forceinline__ void take(const AdamStep& a, int64_t i) {
  adam_element(a, i);
}
__device__ __forceinline__ void take(const SgdStep& a, int64_t i) {
  sgd_element(a, i);
}

template <class Step>
__global__ void step_all(const __grid_constant__ Batch<Step> batch) {
  int which = 0;
  while (blockIdx.x >= batch.first_block[which + 1]) ++which;
  Step step = batch.step[which];
  if (!passes_guard(step)) return;

  const int64_t first = (blockIdx.x - batch.first_block[which]) * kPerBlock + threadIdx.x;
#pragma unroll
  for (int j = 0; j < kPerThread; ++j) {
    const int64_t i = first + j * kThreadsPerBlock;
    if (i < step.n) take(step, i);
  }
}

__global__ void decide(GuardedStep step, StepGuard* guard) {
  next_guard(step, *guard);
}

template <class Step>
void launch_all(std::span<const Step> steps, cudaStream_t stream) {
  for (size_t begin = 0; begin < steps.size(); begin += kMaxParameters) {
    const auto part = steps.subspan(begin, std::min<size_t>(kMaxParameters, steps.size() - begin));
    Batch<Step> batch{};
    unsigned blocks = 0;
    for (size_t i = 0; i < part.size(); ++i) {
      batch.step[i] = part[i];
      batch.first_block[i] = blocks;
      blocks += static_cast<unsigned>((part[i].n + kPerBlock - 1) / kPerBlock);
    }

    batch.first_block[part.size()] = blocks;
    if (blocks > 0) step_all<<<blocks, kThreadsPerBlock, 0, stream>>>(batch);
  }
}

}  // namespace

void set_guard_cuda(const GuardedStep& step, StepGuard* guard, void* stream) {
  decide<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(step, guard);
  check_launch("set_guard");
}

void adam_steps_cuda(std::span<const AdamStep> steps, void* stream) {
  launch_all(steps, static_cast<cudaStream_t>(stream));
  check_launch("adam_steps");
}

void sgd_steps_cuda(std::span<const SgdStep> steps, void* stream) {
  launch_all(steps, static_cast<cudaStream_t>(stream));
  check_launch("sgd_steps");
}

}  // namespace spikenm::kernels
