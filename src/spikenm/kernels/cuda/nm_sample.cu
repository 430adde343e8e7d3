// One thread a block: its noise is made from the counter where it is used, so nothing but the draws
// goes to memory.
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/math/block_draw.h"
#include "spikenm/kernels/nm_sample.h"

namespace spikenm::kernels {
namespace {

__global__ void draw(DrawInputs<float> in, uint8_t* draws) {
  const int64_t b = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (b >= in.layout.n_blocks) return;
  const int32_t m = in.layout.m;
  float values[nm::NmPattern::kMaxM];
  load_block_values(in, b, values);
  draw_block(
      values, m, in.n_draws, in.replace, in.noise,
      [&](int32_t k, int32_t s) { return gumbel_at(in.seed, in.stream, in.step, b, k, s, m); },
      draws + b * in.n_draws);
}

}  // namespace

void nm_draw_cuda(const DrawInputs<float>& inputs, uint8_t* draws, void* stream) {
  if (inputs.layout.n_blocks == 0) return;
  draw<<<grid_for(inputs.layout.n_blocks), kThreadsPerBlock, 0,
         static_cast<cudaStream_t>(stream)>>>(inputs, draws);
  check_launch("nm_draw");
}

}  // namespace spikenm::kernels
