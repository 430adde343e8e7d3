// One thread a block: its noise is made from the counter where it is used, so nothing but the draws
// goes to memory. The largest m of a launch is a template parameter, so that small blocks stay in
// registers.
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/math/distill.h"
#include "spikenm/kernels/math/straight_through.h"
#include "spikenm/kernels/nm_sample.h"

namespace spikenm::kernels {
namespace {

template <int kRoom>
__global__ void draw(DrawInputs<float> in, uint8_t* draws) {
  const int64_t b = thread_index();
  if (b >= in.layout.n_blocks) return;
  const int32_t m = in.layout.m;
  float values[kRoom];
  load_block_values(in, b, values);
  draw_block(
      values, m, in.n_draws, in.replace, in.noise,
      [&](int32_t k, int32_t s) { return gumbel_at(in.seed, in.stream, in.step, b, k, s, m); },
      draws + b * in.n_draws);
}

template <int kRoom>
__global__ void top_n(DrawInputs<float> in, uint8_t* draws) {
  const int64_t b = thread_index();
  if (b >= in.layout.n_blocks) return;
  float values[kRoom];
  load_block_values(in, b, values);
  draw_block(
      values, in.layout.m, in.n_draws, /*replace=*/false, 0.0f,
      [](int32_t, int32_t) { return 0.0f; }, draws + b * in.n_draws);
}

__global__ void mask(nm::BlockLayout layout, int32_t n_draws, const uint8_t* draws, uint8_t* keep) {
  const int64_t b = thread_index();
  if (b >= layout.n_blocks) return;
  uint64_t bits = 0;
  for (int32_t k = 0; k < n_draws; ++k) bits |= uint64_t{1} << draws[b * n_draws + k];
  const int64_t start = layout.start(b);
  const int32_t channels = layout.channels_of(b);
  for (int32_t c = 0; c < channels; ++c)
    for (int32_t s = 0; s < layout.m; ++s)
      keep[start + c * layout.channel_stride + s * layout.position_stride] = bits >> s & 1;
}

template <int kRoom>
__global__ void straight_through(StraightThrough<float> a) {
  const int64_t b = thread_index();
  const DrawInputs<float>& in = a.draw;
  if (b >= in.layout.n_blocks) return;
  straight_through_block<kRoom>(a, b, [&](int32_t k, int32_t s) {
    return gumbel_at(in.seed, in.stream, in.step, b, k, s, in.layout.m);
  });
}

template <int kRoom>
__global__ void distill(Distillation<float> a, float* kl) {
  const int64_t b = thread_index();
  if (b < a.draw.layout.n_blocks) kl[b] = static_cast<float>(distill_block<kRoom>(a, b));
}

// Calls launch(room) with the smallest room that holds m, as a compile-time number.
template <class Launch>
void with_room(int32_t m, Launch&& launch) {
  if (m <= 4) {
    launch(std::integral_constant<int, 4>());
  } else if (m <= 16) {
    launch(std::integral_constant<int, 16>());
  } else {
    launch(std::integral_constant<int, nm::NmPattern::kMaxM>());
  }
}

}  // namespace

void nm_draw_cuda(const DrawInputs<float>& in, uint8_t* draws, void* stream) {
  if (in.layout.n_blocks == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  with_room(in.layout.m, [&](auto room) {
    draw<room><<<grid_for(in.layout.n_blocks), kThreadsPerBlock, 0, s>>>(in, draws);
  });
  check_launch("nm_draw");
}

void nm_top_n_cuda(const DrawInputs<float>& in, uint8_t* draws, void* stream) {
  if (in.layout.n_blocks == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  with_room(in.layout.m, [&](auto room) {
    top_n<room><<<grid_for(in.layout.n_blocks), kThreadsPerBlock, 0, s>>>(in, draws);
  });
  check_launch("nm_top_n");
}

void nm_mask_cuda(const nm::BlockLayout& layout, int32_t n_draws, const uint8_t* draws,
                  uint8_t* keep, void* stream) {
  const auto s = static_cast<cudaStream_t>(stream);
  cudaMemsetAsync(keep, 1, static_cast<size_t>(layout.numel), s);
  if (layout.n_blocks > 0)
    mask<<<grid_for(layout.n_blocks), kThreadsPerBlock, 0, s>>>(layout, n_draws, draws, keep);
  check_launch("nm_mask");
}

void nm_straight_through_cuda(const StraightThrough<float>& args, void* stream) {
  const nm::BlockLayout& layout = args.draw.layout;
  if (layout.n_blocks == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  with_room(layout.m, [&](auto room) {
    straight_through<room><<<grid_for(layout.n_blocks), kThreadsPerBlock, 0, s>>>(args);
  });
  check_launch("nm_straight_through");
}

void nm_distill_cuda(const Distillation<float>& args, float* kl, void* stream) {
  const nm::BlockLayout& layout = args.draw.layout;
  if (layout.n_blocks == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  with_room(layout.m, [&](auto room) {
    distill<room><<<grid_for(layout.n_blocks), kThreadsPerBlock, 0, s>>>(args, kl);
  });
  check_launch("nm_distill");
}

}  // namespace spikenm::kernels
