// One thread a block of the mask: its noise is made from the counter where it is used, so nothing
// but the draws goes to memory. Usual kinds of block are known to the compiler (BlockKind).
#include "spikenm/kernels/cuda/block_sum.cuh"
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/math/distill.h"
#include "spikenm/kernels/math/straight_through.h"
#include "spikenm/kernels/nm_sample.h"

namespace spikenm::kernels {
namespace {

// The noise of a block, a draw at a time: made, four positions from one counter, or read where it
// was kept.
template <class Kind>
struct DrawNoise {
  const DrawInputs<float>& in;
  int64_t block;
  const float* kept;  // or null
  int32_t held = -1;  // the draw in `row`
  float row[Kind::kRoom];

  __device__ DrawNoise(const DrawInputs<float>& inputs, int64_t b, const float* kept_noise)
      : in(inputs), block(b), kept(kept_noise) {}

  __device__ float operator()(int32_t k, int32_t s) {
    if (k != held) {
      held = k;
      if (kept != nullptr) {
        load_row<Kind>(in.layout, kept + (block * in.n_draws + k) * Kind::m(in.layout), row);
      } else {
        make(k);
      }
    }
    return row[s];
  }
  __device__ void make(int32_t k) {
    const int32_t m = Kind::m(in.layout);
#pragma unroll
    for (int32_t j = 0; 4 * j < m; ++j) {
      const uint64_t counter = gumbel_counter(block, k, j, m);
      const auto words =
          philox<uint32_t>(in.seed, in.stream, in.step, static_cast<uint32_t>(counter),
                           static_cast<uint32_t>(counter >> 32));
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (4 * j + i < m) row[4 * j + i] = gumbel<float>(words.word[i]);
    }
  }
};

template <class Kind>
__global__ void draw(DrawInputs<float> in, uint8_t* draws, float* kept) {
  const int64_t b = thread_index();
  if (b >= in.layout.n_blocks) return;
  float values[Kind::kRoom];
  load_block_values<Kind>(in, b, values);
  DrawNoise<Kind> noise(in, b, nullptr);
  const auto noise_at = [&](int32_t k, int32_t s) {
    const float value = noise(k, s);
    if (s == 0 && kept != nullptr)
      store_row<Kind>(in.layout, noise.row, kept + (b * in.n_draws + k) * Kind::m(in.layout));
    return value;
  };
  draw_block<Kind>(in, values, in.replace, in.noise, noise_at, draws + b * in.n_draws);
}

template <class Kind>
__global__ void top_n(DrawInputs<float> in, uint8_t* draws) {
  const int64_t b = thread_index();
  if (b >= in.layout.n_blocks) return;
  float values[Kind::kRoom];
  load_block_values<Kind>(in, b, values);
  draw_block<Kind>(
      in, values, /*replace=*/false, 0.0f, [](int32_t, int32_t) { return 0.0f; },
      draws + b * in.n_draws);
}

// Which positions block b drew, a bit each.
template <class Kind>
__device__ typename Kind::Bits drawn(int32_t n_draws, const uint8_t* draws, int64_t b) {
  typename Kind::Bits bits = 0;
  for (int32_t k = 0; k < n_draws; ++k) bits |= typename Kind::Bits{1} << draws[b * n_draws + k];
  return bits;
}

// masked = values where block b drew the position, else 0.
template <class Kind>
__device__ void apply_block(const nm::BlockLayout& layout, typename Kind::Bits bits,
                            const float* values, float* masked, int64_t b) {
  const BlockPlace<Kind> place(layout, b);
  if constexpr (Kind::kTogether) {
    float row[Kind::kRoom];
    load_row<Kind>(layout, values + place.start, row);
    SPIKENM_UNROLL
    for (int32_t s = 0; s < Kind::kM; ++s) row[s] = (bits >> s & 1) != 0 ? row[s] : 0.0f;
    store_row<Kind>(layout, row, masked + place.start);
    return;
  }
  for (int32_t c = 0; c < place.channels; ++c)
    for (int32_t s = 0; s < Kind::m(layout); ++s)
      masked[place.at(c, s)] = (bits >> s & 1) != 0 ? values[place.at(c, s)] : 0.0f;
}

__global__ void mask(nm::BlockLayout layout, int32_t n_draws, const uint8_t* draws, uint8_t* keep) {
  const int64_t b = thread_index();
  if (b >= layout.n_blocks) return;
  const uint64_t bits = drawn<AnyBlock>(n_draws, draws, b);
  const BlockPlace<AnyBlock> place(layout, b);
  for (int32_t c = 0; c < place.channels; ++c)
    for (int32_t s = 0; s < layout.m; ++s) keep[place.at(c, s)] = bits >> s & 1;
}

template <class Kind>
__global__ void apply(nm::BlockLayout layout, int32_t n_draws, const uint8_t* draws,
                      const float* values, float* masked) {
  const int64_t b = thread_index();
  if (b < layout.n_blocks)
    apply_block<Kind>(layout, drawn<Kind>(n_draws, draws, b), values, masked, b);
}

template <class Kind>
__global__ void search_backward(SearchBackward all) {
  const int64_t b = thread_index();
  StraightThrough<float>& a = all.straight;
  float task_norm = 0;
  DistillSums sums;
  if (b < a.draw.layout.n_blocks) {
    if (a.dials != nullptr) {
      a.draw.step = a.dials->step;
      a.draw.noise = a.dials->noise;
      a.tau = a.dials->tau;
    }
    DrawNoise<Kind> noise(a.draw, b, a.noise);
    task_norm =
        straight_through_block<Kind>(a, b, [&](int32_t k, int32_t s) { return noise(k, s); });
    if (all.distils) sums = distill_block<Kind>(all.distillation, b);
    if (all.grad_weight != nullptr)
      apply_block<Kind>(a.draw.layout, drawn<Kind>(a.draw.n_draws, a.draws, b), a.grad_effective,
                        all.grad_weight, b);
  }
  add_block_sum(task_norm, all.task_norm);
  if (!all.distils) return;
  add_block_sum(static_cast<float>(sums.kl), all.kl);
  add_block_sum(static_cast<float>(sums.squared_norm), all.eid_norm);
}

__global__ void set_dials(DrawDials values, DrawDials* dials) {
  *dials = values;
}

template <class Kind>
__global__ void distill(Distillation<float> a, float* kl, float* norm) {
  const int64_t b = thread_index();
  DistillSums sums;
  if (b < a.draw.layout.n_blocks) {
    sums = distill_block<Kind>(a, b);
  }
  add_block_sum(static_cast<float>(sums.kl), kl);
  add_block_sum(static_cast<float>(sums.squared_norm), norm);
}

bool lie_together(const nm::BlockLayout& l) {
  return l.share == 1 && l.rows == 1 && l.position_stride == 1 && l.block_stride == l.m &&
         l.tail() == 0;
}

// Calls launch(kind of block).
template <class Launch>
void with_kind(const nm::BlockLayout& l, Launch&& launch) {
  const bool together = lie_together(l);
  if (l.m == 4 && together) return launch(BlockKind<4, true>());
  if (l.m == 4) return launch(BlockKind<4, false>());
  if (l.m == 8 && together) return launch(BlockKind<8, true>());
  if (l.m == 8) return launch(BlockKind<8, false>());
  if (l.m == 16 && together) return launch(BlockKind<16, true>());
  if (l.m == 16) return launch(BlockKind<16, false>());
  launch(AnyBlock());
}

}  // namespace

int64_t nm_parts(int64_t n_blocks) {
  return grid_for(n_blocks);
}

void nm_draw_cuda(const DrawInputs<float>& in, uint8_t* draws, float* noise, void* stream) {
  if (in.layout.n_blocks == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  with_kind(in.layout, [&](auto kind) {
    draw<decltype(kind)>
        <<<grid_for(in.layout.n_blocks), kThreadsPerBlock, 0, s>>>(in, draws, noise);
  });
  check_launch("nm_draw");
}

void nm_top_n_cuda(const DrawInputs<float>& in, uint8_t* draws, void* stream) {
  if (in.layout.n_blocks == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  with_kind(in.layout, [&](auto kind) {
    top_n<decltype(kind)><<<grid_for(in.layout.n_blocks), kThreadsPerBlock, 0, s>>>(in, draws);
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

void nm_apply_cuda(const nm::BlockLayout& layout, int32_t n_draws, const uint8_t* draws,
                   const float* values, float* masked, void* stream) {
  const auto s = static_cast<cudaStream_t>(stream);
  if (layout.tail() > 0 && masked != values)
    cudaMemcpyAsync(masked, values, static_cast<size_t>(layout.numel) * sizeof(float),
                    cudaMemcpyDeviceToDevice, s);
  if (layout.n_blocks > 0)
    with_kind(layout, [&](auto kind) {
      apply<decltype(kind)><<<grid_for(layout.n_blocks), kThreadsPerBlock, 0, s>>>(
          layout, n_draws, draws, values, masked);
    });
  check_launch("nm_apply");
}

void set_draw_dials_cuda(const DrawDials& values, DrawDials* dials, void* stream) {
  set_dials<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(values, dials);
  check_launch("set_draw_dials");
}

void nm_straight_through_cuda(const SearchBackward& args, void* stream) {
  const nm::BlockLayout& layout = args.straight.draw.layout;
  if (layout.n_blocks == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  with_kind(layout, [&](auto kind) {
    search_backward<decltype(kind)><<<grid_for(layout.n_blocks), kThreadsPerBlock, 0, s>>>(args);
  });
  check_launch("nm_straight_through");
}

void nm_distill_cuda(const Distillation<float>& args, float* kl, float* norm, void* stream) {
  const nm::BlockLayout& layout = args.draw.layout;
  if (layout.n_blocks == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  with_kind(layout, [&](auto kind) {
    distill<decltype(kind)><<<grid_for(layout.n_blocks), kThreadsPerBlock, 0, s>>>(args, kl, norm);
  });
  check_launch("nm_distill");
}

}  // namespace spikenm::kernels
