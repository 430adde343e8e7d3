// A thread owns V neighbouring channels of a position and walks all time steps; then it takes the
// next of its positions, whose channels are the same.
//
//   step t     position 0  [ V ][ V ][ V ] …  channels      a row of threads: one position
//              position 1  [ V ][ V ][ V ] …                a block: several rows
//              position 2  …                                a grid: parts of rows, tiles of
//              channels
//   step t+1   …            ^ one thread reads this place in every step
//
// Sums over positions: every block leaves one partial sum a channel, and a small kernel adds the
// blocks' up in order.
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"
#include "spikenm/kernels/math/steps/all.h"
#include "spikenm/kernels/norm_neuron.h"

#include <algorithm>

namespace spikenm::kernels {
namespace {

constexpr int64_t kMaxParts = 528;  // partial sums of a channel: four blocks a multiprocessor
constexpr int kFinishLanes = 16, kFinishRows = 64;

struct Grid {
  int lanes, rows;  // threads of a block along the channels, and along the positions
  dim3 blocks, threads;
};

Grid grid_of(const SequenceShape& s, int64_t positions, int width) {
  const int64_t groups = s.channels / width;
  const int lanes = static_cast<int>(std::min<int64_t>(groups, kThreadsPerBlock));
  const int rows = kThreadsPerBlock / lanes;
  const int64_t parts = std::clamp<int64_t>((positions + rows - 1) / rows, 1, kMaxParts);
  const int64_t tiles = (groups + lanes - 1) / lanes;
  return {lanes, rows, dim3(static_cast<unsigned>(parts), static_cast<unsigned>(tiles)),
          dim3(static_cast<unsigned>(lanes * rows))};
}

// Which channels and positions are a thread's. All in 32 bits: a step has fewer values than that.
template <int V>
struct Place {
  unsigned channel, position, stride, channels;
  bool active;

  __device__ Place(const SequenceShape& s, int lanes, int rows) {
    const unsigned lane = threadIdx.x % lanes;
    channels = static_cast<unsigned>(s.channels);
    channel = (blockIdx.y * kThreadsPerBlock + lane) * V;
    position = blockIdx.x * rows + threadIdx.x / lanes;
    stride = gridDim.x * rows;
    active = channel < channels;
  }
  // Of the thread's values at a position, within a step.
  __device__ unsigned offset(unsigned p) const { return p * channels + channel; }
};

// V values at `offset` of step t. The step's start is the same for all threads, so that it costs
// them nothing.
template <class T, int V>
__device__ __forceinline__ Pack<T, V> load_at(const void* values, int64_t step, int t,
                                              unsigned offset) {
  return load<T, V>(static_cast<const T*>(values) + t * step + offset);
}
template <class T, int V>
__device__ __forceinline__ void store_at(void* values, int64_t step, int t, unsigned offset,
                                         const Pack<T, V>& pack) {
  store(static_cast<T*>(values) + t * step + offset, pack);
}

// The affine map of V channels.
template <int V>
struct Affine {
  float scale[V], shift[V];

  __device__ Affine(const NormConstants& norm, int64_t channel) {
    for (int j = 0; j < V; ++j) {
      const bool has = norm.gamma != nullptr;
      scale[j] = has ? norm.gamma[channel + j] * norm.inverse_std[channel + j] : 1.0f;
      shift[j] = has ? __fmaf_rn(-norm.mean[channel + j], scale[j], norm.beta[channel + j]) : 0.0f;
    }
  }
  __device__ float operator()(int j, float x) const { return __fmaf_rn(x, scale[j], shift[j]); }
};

// Adds up first[j] and second[j] over the rows of a block; they go to
// parts[blockIdx.x][2][channels].
template <int V>
__device__ void leave_partial_sums(const float* first, const float* second, const Place<V>& place,
                                   int lanes, int rows, int64_t channels, float* parts) {
  __shared__ float sums[2][V][kThreadsPerBlock];
  for (int j = 0; j < V; ++j) {
    sums[0][j][threadIdx.x] = first[j];
    sums[1][j][threadIdx.x] = second[j];
  }
  __syncthreads();
  if (static_cast<int>(threadIdx.x) >= lanes || !place.active) return;
  for (int which = 0; which < 2; ++which)
    for (int j = 0; j < V; ++j) {
      float sum = 0;
      for (int r = 0; r < rows; ++r) sum += sums[which][j][r * lanes + threadIdx.x];
      parts[(blockIdx.x * 2 + which) * channels + place.channel + j] = sum;
    }
}

// Both sums of a channel over all parts, in double and always in the same order; a block adds up
// kFinishLanes channels, kFinishRows parts at a time. True for the thread that has them.
__device__ bool total_of(const float* parts, unsigned n_parts, int64_t channels, int64_t channel,
                         double& first, double& second) {
  __shared__ double sums[2][kFinishRows][kFinishLanes];
  first = second = 0;
  if (channel < channels) {
    const float* const mine = parts + channel;
#pragma unroll 8
    for (unsigned p = threadIdx.y; p < n_parts; p += kFinishRows) {
      first += mine[2 * p * channels];
      second += mine[(2 * p + 1) * channels];
    }
  }
  sums[0][threadIdx.y][threadIdx.x] = first;
  sums[1][threadIdx.y][threadIdx.x] = second;
  for (int half = kFinishRows / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.y) < half)
      for (int which = 0; which < 2; ++which)
        sums[which][threadIdx.y][threadIdx.x] += sums[which][threadIdx.y + half][threadIdx.x];
  }
  first = sums[0][0][threadIdx.x];
  second = sums[1][0][threadIdx.x];
  return threadIdx.y == 0 && channel < channels;
}

__device__ int64_t finish_channel() {
  return static_cast<int64_t>(blockIdx.x) * kFinishLanes + threadIdx.x;
}

template <class T, int V>
__global__ void sum_values(NormStatistics a, int64_t positions, int lanes, int rows) {
  const Place<V> place(a.shape, lanes, rows);
  float sum[V] = {}, squares[V] = {};
  if (place.active) {
    float pivot[V];  // near the mean, so that its square takes no digits from the variance
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
  a.running_mean[c] = static_cast<float>((1 - momentum) * a.running_mean[c] + momentum * mean);
  a.running_variance[c] = static_cast<float>((1 - momentum) * a.running_variance[c] +
                                             momentum * variance * n / (n - 1));
}

// The usual neuron (ATan, hard reset, no gradient through it) is known to the compiler.
template <bool kUsual>
__device__ NeuronParams pinned(NeuronParams p) {
  if constexpr (kUsual) {
    p.surrogate = Surrogate::kAtan;
    p.soft_reset = false;
    p.detach_reset = true;
  }
  return p;
}

bool is_usual(const NeuronParams& p) {
  return p.surrogate == Surrogate::kAtan && !p.soft_reset && p.detach_reset;
}

template <class Step, class T, int V, bool kUsual>
__global__ void forward(NormNeuronForward a, int lanes, int rows) {
  const Place<V> place(a.shape, lanes, rows);
  if (!place.active) return;
  const int64_t n = a.shape.n, x_step = a.shape.constant_input ? 0 : n;
  const int steps = static_cast<int>(a.shape.steps);
  const auto positions = static_cast<unsigned>(a.shape.positions());
  const NeuronParams params = pinned<kUsual>(a.params);
  const auto c = neuron_constants<float, float>(params);
  const Affine<V> affine(a.norm, place.channel);
  for (unsigned p = place.position; p < positions; p += place.stride) {
    const unsigned i = place.offset(p);
    float v[V];
    for (int j = 0; j < V; ++j) v[j] = c.charge.rest;
#pragma unroll 8
    for (int t = 0; t < steps; ++t) {
      const auto in = load_at<T, V>(a.x, x_step, t, i);
      Pack<T, V> out;
      unsigned bits = 0;
      for (int j = 0; j < V; ++j) {
        float h, spike;
        neuron_forward_step<Step>(c, params.soft_reset, affine(j, to_float(in.value[j])), v[j], h,
                                  spike);
        out.value[j] = from_float<T>(spike);
        bits |= (spike != 0.0f ? 1u : 0u) << j;
      }
      store_at(a.spikes, n, t, i, out);
      if constexpr (V == 8)
        if (a.bits != nullptr) a.bits[(t * n + i) / 8] = static_cast<uint8_t>(bits);
    }
  }
}

// The gradient of the spikes at a position, from the output of a pool where there is one.
template <class T, int V, bool kPooled>
struct SpikeGradient {
  const void* grad;
  int64_t step;
  unsigned offset;
  const uint8_t* chosen = nullptr;
  int here = 0;     // the place in its window
  float share = 1;  // of the window's gradient

  __device__ SpikeGradient(const NormNeuronBackward& a, const Place<V>& place, unsigned p)
      : grad(a.grad_spikes), step(a.shape.n), offset(place.offset(p)) {
    if constexpr (kPooled) {
      const PooledGradient& pool = a.pool;
      const unsigned width = pool.width, height = pool.height, size = pool.size;
      const unsigned out_width = pool.out_width, out_height = pool.out_height;
      const unsigned line = p / width, column = p - line * width;
      const unsigned image = line / height, row = line - image * height;
      const unsigned r = row / size, c = column / size;
      const bool inside = r < out_height && c < out_width;
      offset =
          (inside ? (image * out_height + r) * out_width + c : 0) * place.channels + place.channel;
      step = a.shape.n / (static_cast<int64_t>(width) * height) * out_width * out_height;
      here = static_cast<int>((row - r * size) * size + column - c * size);
      chosen = pool.chosen;
      if (chosen == nullptr) share = 1.0f / static_cast<float>(size * size);
      if (!inside) share = 0;  // in no window
    }
  }
  // All steps' at once: no load waits for another.
  template <int kSteps>
  __device__ void load_steps(int steps, Pack<T, V> (&g)[kSteps]) const {
#pragma unroll
    for (int t = 0; t < kSteps; ++t)
      if (t < steps) g[t] = load_at<T, V>(grad, step, t, offset);
    if constexpr (kPooled) {
      if (chosen == nullptr) return;
      Pack<uint8_t, V> where[kSteps];
#pragma unroll
      for (int t = 0; t < kSteps; ++t) where[t] = load<uint8_t, V>(chosen + t * step + offset);
#pragma unroll
      for (int t = 0; t < kSteps; ++t)
        for (int j = 0; j < V; ++j)
          if (where[t].value[j] != here) g[t].value[j] = from_float<T>(0.0f);
    }
  }
};

// Runs the membrane forward from x, keeping h in registers, then the error backward: for every step
// use(x, gradients of the neuron's input, t) is called with V values each, last step first.
template <class Step, class T, int V, int kSteps, bool kUsual, bool kPooled, class Use>
__device__ void sweep(const NormNeuronBackward& a, const NeuronConstants<float>& c,
                      const Affine<V>& affine, const Place<V>& place, unsigned p, Use&& use) {
  const unsigned i = place.offset(p);
  const SpikeGradient<T, V, kPooled> gradient(a, place, p);
  const int64_t n = a.shape.n, x_step = a.shape.constant_input ? 0 : n;
  // The usual neuron has all kSteps, another one at most so many.
  const int steps = kUsual ? kSteps : static_cast<int>(a.shape.steps);
  const NeuronParams params = pinned<kUsual>(a.params);
  // All loads first: they are many bytes on their way at once, and grad may be overwritten by use.
  Pack<T, V> in[kSteps], g[kSteps];
#pragma unroll
  for (int t = 0; t < kSteps; ++t) {
    if (t >= steps) continue;
    in[t] = load_at<T, V>(a.x, x_step, t, i);
  }
  gradient.load_steps(steps, g);
  float h[kSteps][V], v[V], error[V];
  for (int j = 0; j < V; ++j) {
    v[j] = c.charge.rest;
    error[j] = 0;
  }
#pragma unroll
  for (int t = 0; t < kSteps; ++t) {
    if (t >= steps) continue;
    for (int j = 0; j < V; ++j) {
      float spike;
      neuron_forward_step<Step>(c, params.soft_reset, affine(j, to_float(in[t].value[j])), v[j],
                                h[t][j], spike);
    }
  }
#pragma unroll
  for (int t = kSteps - 1; t >= 0; --t) {
    if (t >= steps) continue;
    float values[V], dy[V];
    for (int j = 0; j < V; ++j) {
      float grad_k;
      values[j] = to_float(in[t].value[j]);
      neuron_backward_step<Step>(c, params, to_float(g[t].value[j]) * gradient.share, h[t][j], 0.0f,
                                 0.0f, error[j], dy[j], grad_k);
    }
    use(values, dy, t);
  }
}

// Blocks of a sweep that a multiprocessor shall hold: registers are cut to fit.
constexpr int sweep_blocks(int width, int steps, bool pooled) {
  return width * steps <= (pooled ? 32 : 40) ? 2 : 1;
}

// sum dy and sum dy x^ of every channel.
template <class Step, class T, int V, int kSteps, bool kUsual, bool kPooled>
__global__ void __launch_bounds__(kThreadsPerBlock, sweep_blocks(V, kSteps, kPooled))
    sum_gradients(NormNeuronBackward a, int lanes, int rows) {
  const Place<V> place(a.shape, lanes, rows);
  float sum[V] = {}, with_x[V] = {};
  if (place.active) {
    const auto c = neuron_constants<float, float>(pinned<kUsual>(a.params));
    const Affine<V> affine(a.norm, place.channel);
    float mean[V];
    for (int j = 0; j < V; ++j) mean[j] = a.norm.mean[place.channel + j];
    const auto positions = static_cast<unsigned>(a.shape.positions());
    for (unsigned p = place.position; p < positions; p += place.stride)
      sweep<Step, T, V, kSteps, kUsual, kPooled>(
          a, c, affine, place, p, [&](const float* x, const float* dy, int) {
            for (int j = 0; j < V; ++j) {
              sum[j] += dy[j];
              with_x[j] = __fmaf_rn(dy[j], x[j] - mean[j], with_x[j]);
            }
          });
    for (int j = 0; j < V; ++j) with_x[j] *= a.norm.inverse_std[place.channel + j];
  }
  leave_partial_sums<V>(sum, with_x, place, lanes, rows, a.shape.channels, a.workspace);
}

__global__ void finish_gradients(NormNeuronBackward a, unsigned parts) {
  const int64_t c = finish_channel();
  double sum, with_x;
  if (!total_of(a.workspace, parts, a.shape.channels, c, sum, with_x)) return;
  a.grad_beta[c] = static_cast<float>(sum);
  a.grad_gamma[c] = static_cast<float>(with_x);
}

// dL/dx = gamma inverse_std (dy - mean(dy) - x^ mean(dy x^)); without a norm dL/dx = dy.
template <class Step, class T, int V, int kSteps, bool kUsual, bool kPooled>
__global__ void __launch_bounds__(kThreadsPerBlock, sweep_blocks(V, kSteps, kPooled))
    grad_input(NormNeuronBackward a, int lanes, int rows) {
  const Place<V> place(a.shape, lanes, rows);
  if (!place.active) return;
  const auto c = neuron_constants<float, float>(pinned<kUsual>(a.params));
  const Affine<V> affine(a.norm, place.channel);
  const float count = static_cast<float>(a.shape.steps * a.shape.positions());
  // As a line in x: scale dy + slope x + offset.
  float slope[V] = {}, offset[V] = {};
  if (a.norm.gamma != nullptr)
    for (int j = 0; j < V; ++j) {
      const unsigned channel = place.channel + j;
      slope[j] = -affine.scale[j] * a.grad_gamma[channel] / count * a.norm.inverse_std[channel];
      offset[j] = -affine.scale[j] * a.grad_beta[channel] / count - slope[j] * a.norm.mean[channel];
    }
  const auto positions = static_cast<unsigned>(a.shape.positions());
  const bool summed = a.shape.summed_gradient;
  for (unsigned p = place.position; p < positions; p += place.stride) {
    const unsigned i = place.offset(p);
    float over_time[V] = {};
    sweep<Step, T, V, kSteps, kUsual, kPooled>(
        a, c, affine, place, p, [&](const float* x, const float* dy, int t) {
          Pack<T, V> out;
          for (int j = 0; j < V; ++j) {
            const float value =
                __fmaf_rn(affine.scale[j], dy[j], __fmaf_rn(slope[j], x[j], offset[j]));
            over_time[j] += value;
            out.value[j] = from_float<T>(value);
          }
          if (!summed) store_at(a.grad_x, a.shape.n, t, i, out);
        });
    if (!summed) continue;
    Pack<T, V> out;
    for (int j = 0; j < V; ++j) out.value[j] = from_float<T>(over_time[j]);
    store_at(a.grad_x, 0, 0, i, out);
  }
}

template <class Launch>
void with_width(bool wide, Launch&& launch) {
  if (wide) return launch(std::integral_constant<int, 8>());
  launch(std::integral_constant<int, 1>());
}

// The backward's width, steps, kind of neuron and pool, as few as serve well: the usual neuron with
// usual numbers of steps, all others with at most the longest and no pool.
template <class T, class Launch>
void with_sweep(const NormNeuronBackward& a, Launch&& launch) {
  constexpr std::integral_constant<int, 8 / sizeof(T)> kWide;
  constexpr std::integral_constant<int, 1> kNarrow;
  constexpr std::integral_constant<int, kMaxFusedSteps> kLongest;
  constexpr std::true_type kYes;
  constexpr std::false_type kNo;
  const auto usual = [&](auto steps) {
    if (a.pool.size > 0) return launch(kWide, steps, kYes, kYes);
    launch(kWide, steps, kYes, kNo);
  };
  if (a.shape.channels % kWide != 0) return launch(kNarrow, kLongest, kNo, kNo);
  if (!can_pool_gradient(a.params, a.shape)) return launch(kWide, kLongest, kNo, kNo);
  switch (a.shape.steps) {
    case 4:
      return usual(std::integral_constant<int, 4>());
    case 6:
      return usual(std::integral_constant<int, 6>());
    case 8:
      return usual(std::integral_constant<int, 8>());
    default:
      return usual(std::integral_constant<int, 10>());
  }
}

// Neurons that learn their leak have no fused kernel.
template <class Launch>
void with_neuron(Neuron neuron, Launch&& launch) {
  switch (neuron) {
#define SPIKENM_NEURON(name, step, text)              \
  case Neuron::name:                                  \
    if constexpr (!step::kLearnsLeak) launch(step()); \
    break;
#include "spikenm/kernels/neurons.inc"
#undef SPIKENM_NEURON
  }
}

unsigned finish_blocks(int64_t channels) {
  return static_cast<unsigned>((channels + kFinishLanes - 1) / kFinishLanes);
}

void check_size(const SequenceShape& s) {
  if (s.n >= int64_t{1} << 31)
    throw std::runtime_error("norm_neuron: found a step of 2^31 values or more, wanted fewer");
}

}  // namespace

bool can_pool_gradient(const NeuronParams& params, const SequenceShape& s) {
  return is_usual(params) && s.channels % 8 == 0 &&
         (s.steps == 4 || s.steps == 6 || s.steps == 8 || s.steps == 10);
}

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
      with_width(a.shape.channels % 8 == 0, [&](auto width) {
        const Grid grid = grid_of(a.shape, a.shape.positions(), width);
        if (is_usual(a.params)) {
          forward<Step, T, width, true>
              <<<grid.blocks, grid.threads, 0, s>>>(a, grid.lanes, grid.rows);
        } else {
          forward<Step, T, width, false>
              <<<grid.blocks, grid.threads, 0, s>>>(a, grid.lanes, grid.rows);
        }
      });
    });
  });
  check_launch("norm_neuron_forward");
}

void norm_neuron_backward_cuda(const NormNeuronBackward& a, void* stream) {
  if (a.shape.n == 0) return;
  check_size(a.shape);
  const auto s = static_cast<cudaStream_t>(stream);
  with_neuron(a.params.neuron, [&](auto step) {
    using Step = decltype(step);
    with_type(a.shape.real, [&](auto zero) {
      using T = decltype(zero);
      with_sweep<T>(a, [&](auto width, auto steps, auto usual, auto pooled) {
        const Grid grid = grid_of(a.shape, a.shape.positions(), width);
        if (a.norm.gamma != nullptr) {
          sum_gradients<Step, T, width, steps, usual, pooled>
              <<<grid.blocks, grid.threads, 0, s>>>(a, grid.lanes, grid.rows);
          finish_gradients<<<finish_blocks(a.shape.channels), dim3(kFinishLanes, kFinishRows), 0,
                             s>>>(a, grid.blocks.x);
        }
        grad_input<Step, T, width, steps, usual, pooled>
            <<<grid.blocks, grid.threads, 0, s>>>(a, grid.lanes, grid.rows);
      });
    });
  });
  check_launch("norm_neuron_backward");
}

}  // namespace spikenm::kernels
