// Statistics and forward; the drawing is in norm_neuron.cuh.
#include "spikenm/kernels/cuda/norm_neuron.cuh"

namespace spikenm::kernels {
namespace {

template <class T, int V>
__global__ void sum_values(NormStatistics a, int64_t positions, int lanes, int rows) {
  const Place<V> place(a.shape, lanes, rows);
  float sum[V] = {}, squares[V] = {};
  if (place.active) {
    float pivot[V];  // near the mean, so that the variance loses no digits to its square
    for (int j = 0; j < V; ++j) pivot[j] = a.running_mean[place.channel + j];
#pragma unroll 8
    for (int64_t p = place.position; p < positions; p += place.stride) {
      const auto pack =
          load<T, V>(static_cast<const T*>(a.x) + p * a.shape.channels + place.channel);
      for (int j = 0; j < V; ++j) {
        const float value = to_float(pack.value[j]) - pivot[j];
        sum[j] += value;
        squares[j] = __fmaf_rn(value, value, squares[j]);
      }
    }
  }

  leave_partial_sums<V>(sum, squares, place, lanes, rows, a.shape.channels, a.workspace);
}

__global__ void finish_statistics(NormStatistics a, int64_t positions, unsigned parts) {
  const int64_t c = finish_channel();
  double sum, squares;
  if (!total_of(a.workspace, parts, a.shape.channels, c, sum, squares)) return;

  const double n = static_cast<double>(positions), offset = sum / n;
  const double variance = max(squares / n - offset * offset, 0.0);
  const double mean = a.running_mean[c] + offset, momentum = a.momentum;

  a.mean[c] = static_cast<float>(mean);
  a.inverse_std[c] = static_cast<float>(1 / sqrt(variance + a.eps));
  if (!isfinite(mean) || !isfinite(variance)) return;  // a bad step, after which training may go on
  a.running_mean[c] = static_cast<float>((1 - momentum) * a.running_mean[c] + momentum * mean);
  a.running_variance[c] = static_cast<float>((1 - momentum) * a.running_variance[c] +
                                             momentum * variance * n / (n - 1));
}

// A thread's sums of spikes and of |v|, per channel. Without kWatched they are never made.
template <int V, bool kWatched>
struct ActivitySums {
  float spikes[V] = {}, membranes[V] = {};

  __device__ __forceinline__ void add(int j, bool fires, float v) {
    if constexpr (kWatched) {
      spikes[j] += fires ? 1.0f : 0.0f;
      membranes[j] += fabsf(v);
    }
  }
  // All threads of the block must call it.
  __device__ __forceinline__ void leave(const NormNeuronForward& a, const Place<V>& place,
                                        int lanes, int rows) const {
    if constexpr (kWatched)
      leave_partial_sums<V>(spikes, membranes, place, lanes, rows, a.shape.channels, a.workspace);
  }
};

__global__ void finish_activity(NormNeuronForward a, unsigned parts) {
  const int64_t c = finish_channel();
  double spikes, membranes;
  if (!total_of(a.workspace, parts, a.shape.channels, c, spikes, membranes)) return;
  const double count = static_cast<double>(a.shape.steps * a.shape.positions());
  a.activity[c] += static_cast<float>((spikes + membranes) / count);
}

template <class Step, class T, int V, bool kUsual, bool kWatched>
__device__ __forceinline__ void run_positions(const NormNeuronForward& a, const Place<V>& place,
                                              ActivitySums<V, kWatched>& sums) {
  const int64_t n = a.shape.n, x_step = a.shape.constant_input ? 0 : n;
  const int steps = static_cast<int>(a.shape.steps);
  const auto positions = static_cast<unsigned>(a.shape.positions());
  const KernelNeuron<Step, V, kUsual> neuron(a.params, a.norm, place.channel);

  for (unsigned p = place.position; p < positions; p += place.stride) {
    const unsigned i = place.offset(p);
    float v[V];
    for (int j = 0; j < V; ++j) v[j] = neuron.rest();
#pragma unroll 8
    for (int t = 0; t < steps; ++t) {
      const auto in = load_at<T, V>(a.x, x_step, t, i);
      Pack<T, V> out;
      unsigned bits = 0;
      for (int j = 0; j < V; ++j) {
        const float h = neuron.charge(j, to_float(in.value[j]), v[j]);
        const bool fires = neuron.fires(h);
        v[j] = neuron.after(h);
        sums.add(j, fires, v[j]);
        out.value[j] = from_float<T>(fires ? 1.0f : 0.0f);
        bits |= (fires ? 1u : 0u) << j;
      }
      store_at(a.spikes, n, t, i, out);
      if constexpr (V == 8)
        if (a.bits != nullptr) a.bits[(t * n + i) / 8] = static_cast<uint8_t>(bits);
    }
  }
}

template <class Step, class T, int V, bool kUsual, bool kWatched>
__global__ void forward(NormNeuronForward a, int lanes, int rows) {
  const Place<V> place(a.shape, lanes, rows);
  ActivitySums<V, kWatched> sums;
  if (place.active) run_positions<Step, T, V, kUsual>(a, place, sums);
  sums.leave(a, place, lanes, rows);
}

// Offsets of a window's four places within a step, row-major.
struct Window {
  unsigned at[4];

  __device__ Window(const SpikePool& pool, const Place<8>& place, unsigned window) {
    const unsigned out_width = pool.out_width(), out_height = pool.out_height(), w = pool.width;
    const unsigned line = window / out_width, column = window - line * out_width;
    const unsigned image = line / out_height, row = line - image * out_height;
    const unsigned corner = (image * pool.height + 2 * row) * w + 2 * column;
    for (unsigned k = 0; k < 4; ++k) at[k] = place.offset(corner + k / 2 * w + k % 2);
  }
};

// The forward for spikes that only a pool reads: a thread owns a window and 8 channels of it, so
// that the spikes are never written to memory.
template <class Step, class T, PoolKind kKind, bool kWatched>
__device__ __forceinline__ void run_windows(const NormNeuronForward& a, const Place<8>& place,
                                            unsigned windows, ActivitySums<8, kWatched>& sums) {
  constexpr int V = 8;
  const int64_t n = a.shape.n, x_step = a.shape.constant_input ? 0 : n;
  const int64_t out_step = static_cast<int64_t>(windows) * place.channels;
  const int steps = static_cast<int>(a.shape.steps);
  const UsualNeuron<Step, V> neuron(a.params, a.norm, place.channel);

  for (unsigned q = place.position; q < windows; q += place.stride) {
    const Window window(a.pool, place, q);
    float v[4][V];
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < V; ++j) v[k][j] = neuron.rest();

#pragma unroll 2
    for (int t = 0; t < steps; ++t) {
      Pack<T, V> in[4];
      for (int k = 0; k < 4; ++k) in[k] = load_at<T, V>(a.x, x_step, t, window.at[k]);
      unsigned fired[4] = {};  // one bit per channel
      float mean[V] = {};
      for (int k = 0; k < 4; ++k)
        for (int j = 0; j < V; ++j) {
          const float h = neuron.charge(j, to_float(in[k].value[j]), v[k][j]);
          v[k][j] = neuron.after(h);
          sums.add(j, neuron.fires(h), v[k][j]);
          if constexpr (kKind == PoolKind::kMax) {
            if (neuron.fires(h)) fired[k] |= 1u << j;
          } else {
            if (neuron.fires(h)) mean[j] += 0.25f;
          }
        }

      const unsigned any = fired[0] | fired[1] | fired[2] | fired[3];
      Pack<T, V> out = unpacked<T>(any);
      if constexpr (kKind == PoolKind::kAverage)
        for (int j = 0; j < V; ++j) out.value[j] = from_float<T>(mean[j]);
      store_at(a.spikes, out_step, t, place.offset(q), out);

      if (a.pool.winners == nullptr) continue;
      unsigned before = 0;  // channels whose window already has a winner
      for (int k = 0; k < 4; ++k) {
        const unsigned wins = (k == 0 ? fired[0] | ~any : fired[k]) & ~before;
        a.pool.winners[(t * n + window.at[k]) / 8] = static_cast<uint8_t>(wins);
        before |= wins;
      }
    }
  }
}

template <class Step, class T, PoolKind kKind, bool kWatched>
__global__ void forward_pooled(NormNeuronForward a, unsigned windows, int lanes, int rows) {
  const Place<8> place(a.shape, lanes, rows);
  ActivitySums<8, kWatched> sums;
  if (place.active) run_windows<Step, T, kKind>(a, place, windows, sums);
  sums.leave(a, place, lanes, rows);
}

template <class Launch>
void with_width(bool wide, Launch&& launch) {
  if (wide) return launch(std::integral_constant<int, 8>());
  launch(std::integral_constant<int, 1>());
}

template <bool kWatched>
void launch_finish(const NormNeuronForward& a, const Grid& grid, cudaStream_t s) {
  if constexpr (kWatched)
    finish_activity<<<finish_blocks(a.shape.channels), dim3(kFinishLanes, kFinishRows), 0, s>>>(
        a, grid.blocks.x);
}

template <class Step, class T, bool kWatched>
void launch_forward(const NormNeuronForward& a, cudaStream_t s) {
  if (a.pool.used) {
    const int64_t images = a.shape.positions() / (int64_t{a.pool.height} * a.pool.width);
    const int64_t windows = images * a.pool.out_height() * a.pool.out_width();
    const Grid grid = grid_of(a.shape, windows, 8);
    const auto kernel = a.pool.kind == PoolKind::kMax
                            ? forward_pooled<Step, T, PoolKind::kMax, kWatched>
                            : forward_pooled<Step, T, PoolKind::kAverage, kWatched>;
    kernel<<<grid.blocks, grid.threads, 0, s>>>(a, static_cast<unsigned>(windows), grid.lanes,
                                                grid.rows);
    return launch_finish<kWatched>(a, grid, s);
  }

  with_width(a.shape.channels % 8 == 0, [&](auto width) {
    const Grid grid = grid_of(a.shape, a.shape.positions(), width);
    const auto kernel = is_usual(a.params) ? forward<Step, T, width, true, kWatched>
                                           : forward<Step, T, width, false, kWatched>;
    kernel<<<grid.blocks, grid.threads, 0, s>>>(a, grid.lanes, grid.rows);
    launch_finish<kWatched>(a, grid, s);
  });
}

}  // namespace

int64_t norm_workspace(const SequenceShape& shape) {
  return 2 * kMaxParts * shape.channels;
}

void norm_statistics_cuda(const NormStatistics& a, void* stream) {
  const auto s = static_cast<cudaStream_t>(stream);
  const int64_t positions = a.shape.input_steps() * a.shape.positions();
  with_type(a.shape.real, [&](auto zero) {
    with_width(a.shape.channels % 8 == 0, [&](auto width) {
      const Grid grid = grid_of(a.shape, positions, width);
      sum_values<decltype(zero), width>
          <<<grid.blocks, grid.threads, 0, s>>>(a, positions, grid.lanes, grid.rows);
      finish_statistics<<<finish_blocks(a.shape.channels), dim3(kFinishLanes, kFinishRows), 0, s>>>(
          a, positions, grid.blocks.x);
    });
  });
  check_launch("norm_statistics");
}

void norm_neuron_forward_cuda(const NormNeuronForward& a, void* stream) {
  if (a.shape.n == 0) return;
  check_size(a.shape);
  const auto s = static_cast<cudaStream_t>(stream);
  with_neuron(a.params.neuron, [&](auto step) {
    using Step = decltype(step);
    with_type(a.shape.real, [&](auto zero) {
      using T = decltype(zero);
      if (a.activity == nullptr) return launch_forward<Step, T, false>(a, s);
      launch_forward<Step, T, true>(a, s);
    });
  });
  check_launch("norm_neuron_forward");
}

}  // namespace spikenm::kernels
