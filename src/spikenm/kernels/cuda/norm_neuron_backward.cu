// Two passes, the channels' sums and then the gradient; each replays the membrane from x. The
// drawing is in norm_neuron.cuh.
#include "spikenm/kernels/cuda/norm_neuron.cuh"

namespace spikenm::kernels {
namespace {

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

}  // namespace

bool can_pool_gradient(const NeuronParams& params, const SequenceShape& s) {
  return is_usual(params) && s.channels % 8 == 0 &&
         (s.steps == 4 || s.steps == 6 || s.steps == 8 || s.steps == 10);
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
