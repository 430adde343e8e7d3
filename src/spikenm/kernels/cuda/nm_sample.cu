// One thread per block of the mask. Its noise is made from the counter where it is used, and is
// written to memory only if the backward will read it again. The compiler knows the sizes of the
// usual kinds of block (BlockKind).
#include "spikenm/kernels/cuda/block_sum.cuh"
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"
#include "spikenm/kernels/math/distill.h"
#include "spikenm/kernels/math/straight_through.h"
#include "spikenm/kernels/nm_sample.h"

namespace spikenm::kernels {
namespace {

// The block of a thread. The taps of a channel are neighbours in memory, the blocks of a tap are
// not: threads walk the taps first, so that together they read whole cache lines.
//
//   memory  [channel 0: tap 0 1 2 … 8][channel 1: tap 0 1 2 … 8] …   blocks  tap 0: 0 1 2 …
//   thread   0 1 2 … 8 take position 0 of block 0 of every tap               tap 1: n n+1 …
template <class Kind>
__device__ int64_t block_of_thread(const nm::BlockLayout& l) {
  const int64_t thread = thread_index();
  if (Kind::kTogether || l.rows == 1 || thread >= l.n_blocks) return thread;
  const int64_t per_channel = l.rows * l.blocks_per_row;
  const int64_t first = l.divide(thread, per_channel) * per_channel, rest = thread - first;
  const int64_t block = l.divide(rest, l.rows), row = rest - block * l.rows;
  return first + row * l.blocks_per_row + block;
}

// The noise of a block, one draw at a time: either made, four positions per counter, or read from
// where it was kept.
template <class Kind>
struct DrawNoise {
  const DrawInputs<float>& in;
  int64_t block;
  const float* kept;  // may be null
  int32_t held = -1;  // which draw is in `row`
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
  const int64_t b = block_of_thread<Kind>(in.layout);
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
  const int64_t b = block_of_thread<Kind>(in.layout);
  if (b >= in.layout.n_blocks) return;
  float values[Kind::kRoom];
  load_block_values<Kind>(in, b, values);
  draw_block<Kind>(
      in, values, /*replace=*/false, 0.0f, [](int32_t, int32_t) { return 0.0f; },
      draws + b * in.n_draws);
}

// The positions that block b drew, one bit each.
template <class Kind>
__device__ typename Kind::Bits drawn(int32_t n_draws, const uint8_t* draws, int64_t b) {
  typename Kind::Bits bits = 0;
  for (int32_t k = 0; k < n_draws; ++k) bits |= typename Kind::Bits{1} << draws[b * n_draws + k];
  return bits;
}

// masked = values where block b drew the position, else 0.
template <class Kind, class T>
__device__ void apply_block(const nm::BlockLayout& layout, typename Kind::Bits bits,
                            const float* values, T* masked, int64_t b) {
  const BlockPlace<Kind> place(layout, b);
  const auto kept = [&](int32_t s, float value) {
    return from_float<T>((bits >> s & 1) != 0 ? value : 0.0f);
  };

  if constexpr (Kind::kTogether) {
    float row[Kind::kRoom];
    load_row<Kind>(layout, values + place.start, row);
    Pack<T, Kind::kM> pack;
    SPIKENM_UNROLL
    for (int32_t s = 0; s < Kind::kM; ++s) pack.value[s] = kept(s, row[s]);
    store(masked + place.start, pack);
  } else {
    const int32_t members = Kind::kShared ? place.members : 1;
    for (int32_t i = 0; i < members; ++i) {
      SPIKENM_UNROLL
      for (int32_t s = 0; s < Kind::m(layout); ++s)
        masked[place.at(i, s)] = kept(s, values[place.at(i, s)]);
    }
  }
}

__global__ void mask(nm::BlockLayout layout, int32_t n_draws, const uint8_t* draws, uint8_t* keep) {
  const int64_t b = block_of_thread<AnyBlock>(layout);
  if (b >= layout.n_blocks) return;
  const uint64_t bits = drawn<AnyBlock>(n_draws, draws, b);
  const BlockPlace<AnyBlock> place(layout, b);
  for (int32_t i = 0; i < place.members; ++i)
    for (int32_t s = 0; s < layout.m; ++s) keep[place.at(i, s)] = bits >> s & 1;
}

template <class T>
__global__ void convert(int64_t n, const float* values, T* converted) {
  const int64_t i = thread_index();
  if (i < n) converted[i] = from_float<T>(values[i]);
}

template <class Kind, class T>
__global__ void apply(nm::BlockLayout layout, int32_t n_draws, const uint8_t* draws,
                      const float* values, T* masked) {
  const int64_t b = block_of_thread<Kind>(layout);
  if (b < layout.n_blocks)
    apply_block<Kind>(layout, drawn<Kind>(n_draws, draws, b), values, masked, b);
}

// Adds a block's share to a running sum, unless it is infinite or NaN: a step whose gradients
// overflowed is skipped, and must not change the sum.
__device__ void add_if_finite(double value, float* sum) {
  const auto share = static_cast<float>(value);
  add_block_sum(isfinite(share) ? share : 0.0f, sum);
}

// For blocks of 4, registers are limited so that a multiprocessor holds more threads, whose waits
// for memory then overlap.
template <class Kind>
__global__ void __launch_bounds__(kThreadsPerBlock, Kind::kM == 4 ? 4 : 1)
    search_backward(SearchBackward all) {
  StraightThrough<float>& a = all.straight;
  const int64_t b = block_of_thread<Kind>(a.draw.layout);
  float task_norm = 0;
  DistillSums sums;

  if (b < a.draw.layout.n_blocks) {
    if (a.step_values != nullptr) {
      a.draw.step = a.step_values->step;
      a.draw.noise = a.step_values->noise;
      a.tau = a.step_values->tau;
    }
    DrawNoise<Kind> noise(a.draw, b, a.noise);
    float values[Kind::kRoom], gradient[Kind::kRoom];
    load_block_values<Kind>(a.draw, b, values);
    task_norm = straight_through_block<Kind>(
        a, b, values, [&](int32_t k, int32_t s) { return noise(k, s); }, gradient);
    if (all.distils) sums = distill_block<Kind>(all.distillation, b, values, gradient);
    store_row<Kind>(a.draw.layout, gradient, a.grad_logits + b * Kind::m(a.draw.layout));
    if (all.grad_weight != nullptr)
      apply_block<Kind>(a.draw.layout, drawn<Kind>(a.draw.n_draws, a.draws, b), a.grad_effective,
                        all.grad_weight, b);
  }

  add_if_finite(task_norm, all.task_norm);
  if (!all.distils) return;
  add_if_finite(sums.kl, all.kl);
  add_if_finite(sums.squared_norm, all.eid_norm);
}

__global__ void set_step_values(StepValues values, StepValues* step_values) {
  *step_values = values;
}

template <class Kind>
__global__ void distill(Distillation<float> a, float* kl, float* norm) {
  const int64_t b = block_of_thread<Kind>(a.draw.layout);
  DistillSums sums;
  if (b < a.draw.layout.n_blocks) {
    sums = distill_block<Kind>(a, b);
  }
  add_if_finite(sums.kl, kl);
  add_if_finite(sums.squared_norm, norm);
}

Lie lie_of(const nm::BlockLayout& l) {
  if (l.share > 1 || l.taps > 1) return Lie::kShared;
  const bool together =
      l.rows == 1 && l.position_stride == 1 && l.block_stride == l.m && l.tail() == 0;
  return together ? Lie::kTogether : Lie::kStrided;
}

// Calls launch(kind of block).
template <class Launch>
void with_kind(const nm::BlockLayout& l, Launch&& launch) {
  const Lie lie = lie_of(l);
  const auto with_m = [&](auto m) {
    if (lie == Lie::kTogether) return launch(BlockKind<m, Lie::kTogether>());
    launch(BlockKind<m, Lie::kStrided>());
  };

  if (lie != Lie::kShared && l.m == 4) return with_m(std::integral_constant<int, 4>());
  if (lie != Lie::kShared && l.m == 8) return with_m(std::integral_constant<int, 8>());
  if (lie != Lie::kShared && l.m == 16) return with_m(std::integral_constant<int, 16>());
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
                   const float* values, Real real, void* masked, void* stream) {
  const auto s = static_cast<cudaStream_t>(stream);
  with_type(real, [&](auto zero) {
    using T = decltype(zero);
    T* const result = static_cast<T*>(masked);
    if (layout.tail() > 0 && masked != values)
      convert<<<grid_for(layout.numel), kThreadsPerBlock, 0, s>>>(layout.numel, values, result);
    if (layout.n_blocks > 0)
      with_kind(layout, [&](auto kind) {
        apply<decltype(kind)><<<grid_for(layout.n_blocks), kThreadsPerBlock, 0, s>>>(
            layout, n_draws, draws, values, result);
      });
  });
  check_launch("nm_apply");
}

void set_step_values_cuda(const StepValues& values, StepValues* step_values, void* stream) {
  set_step_values<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(values, step_values);
  check_launch("set_step_values");
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
