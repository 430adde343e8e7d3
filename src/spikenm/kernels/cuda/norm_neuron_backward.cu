// Two passes: first the sums per channel, then the gradient. Each computes the membrane again from
// x. The drawing is in norm_neuron.cuh.
#include "spikenm/kernels/cuda/norm_neuron.cuh"

namespace spikenm::kernels {
namespace {

// Where the gradient of a place's spikes is: at the same place, or in the output of a pool.
template <class T, int V, bool kPooled>
struct SpikeGradient {
  const void* grad;
  int64_t step;     // from one time step to the next
  unsigned offset;  // of the thread's values in a step
  bool inside;      // with a pool: the place is in a window
  const uint8_t* winners;
  int64_t winner_step;

  // Loads all steps at once, so that no load waits for another. `i` is the thread's place in the
  // map.
  template <int kSteps>
  __device__ void load_steps(int steps, unsigned i, Pack<T, V> (&g)[kSteps]) const {
#pragma unroll
    for (int t = 0; t < kSteps; ++t)
      if (t < steps) g[t] = load_at<T, V>(grad, step, t, offset);

    if constexpr (kPooled) {
      unsigned taken[kSteps];
#pragma unroll
      for (int t = 0; t < kSteps; ++t)
        taken[t] = !inside              ? 0u
                   : winners == nullptr ? ~0u
                                        : winners[t * winner_step + i / 8] >> (i % 8);
#pragma unroll
      for (int t = 0; t < kSteps; ++t)
        for (int j = 0; j < V; ++j)
          if ((taken[t] >> j & 1) == 0) g[t].value[j] = from_float<T>(0.0f);
    }
  }
};

// Number of windows that a pool's map is cut into, incomplete ones at an odd edge included.
__host__ __device__ inline unsigned windows_of(const SpikePool& pool, int64_t positions) {
  const int64_t images = positions / (int64_t{pool.height} * pool.width);
  return static_cast<unsigned>(images * ((pool.height + 1) / 2) * ((pool.width + 1) / 2));
}

// Calls visit(position, gradient of its spikes) for all positions of a thread. With a pool a thread
// takes whole windows, one place after the other, so that what the places share is computed once.
template <class T, int V, bool kPooled, class Visit>
__device__ void visit_positions(const NormNeuronBackward& a, const Place<V>& place, Visit&& visit) {
  const int64_t n = a.shape.n;
  const auto positions = static_cast<unsigned>(a.shape.positions());
  if constexpr (!kPooled) {
    for (unsigned p = place.position; p < positions; p += place.stride)
      visit(p, SpikeGradient<T, V, false>{a.grad_spikes, n, place.offset(p), true, nullptr, 0});
  } else {
    const unsigned width = a.pool.width, height = a.pool.height;
    const unsigned out_width = a.pool.out_width(), out_height = a.pool.out_height();
    const unsigned across = (width + 1) / 2, down = (height + 1) / 2;
    const unsigned windows = windows_of(a.pool, positions);
    const int64_t step = static_cast<int64_t>(positions / (width * height)) * out_width *
                         out_height * place.channels;

    for (unsigned q = place.position; q < windows; q += place.stride) {
      const unsigned line = q / across, column = q - line * across;
      const unsigned image = line / down, row = line - image * down;
      const bool inside = row < out_height && column < out_width;
      const unsigned out = inside ? (image * out_height + row) * out_width + column : 0;
      const SpikeGradient<T, V, true> gradient{a.grad_spikes, step,           place.offset(out),
                                               inside,        a.pool.winners, n / 8};
#pragma unroll 1
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned y = 2 * row + k / 2, x = 2 * column + k % 2;
        if (y < height && x < width) visit((image * height + y) * width + x, gradient);
      }
    }
  }
}

// Runs the membrane forward from x, keeping h in registers, then the error backward. For every
// step, the last first, it calls use(x, gradient of the neuron's input, t) with V values each; the
// gradient still lacks the neuron's factor.
template <class T, int V, int kSteps, bool kPooled, class Neuron, class Use>
__device__ void sweep(const NormNeuronBackward& a, const Neuron& neuron, const Place<V>& place,
                      unsigned p, const SpikeGradient<T, V, kPooled>& gradient, Use&& use) {
  const unsigned i = place.offset(p);
  const int64_t n = a.shape.n, x_step = a.shape.constant_input ? 0 : n;
  // The usual neuron runs exactly kSteps steps, another one at most kSteps.
  const int steps = Neuron::kAllSteps ? kSteps : static_cast<int>(a.shape.steps);

  // All loads come first: many are then in flight at once, and `use` may overwrite grad.
  Pack<T, V> in[kSteps], g[kSteps];
#pragma unroll
  for (int t = 0; t < kSteps; ++t)
    if (t < steps) in[t] = load_at<T, V>(a.x, x_step, t, i);
  gradient.load_steps(steps, i, g);

  float h[kSteps][V], v[V], error[V];
  for (int j = 0; j < V; ++j) {
    v[j] = neuron.rest();
    error[j] = 0;
  }

#pragma unroll
  for (int t = 0; t < kSteps; ++t) {
    if (t >= steps) continue;
    for (int j = 0; j < V; ++j) {
      h[t][j] = neuron.charge(j, to_float(in[t].value[j]), v[j]);
      v[j] = neuron.after(h[t][j]);
    }
  }

#pragma unroll
  for (int t = kSteps - 1; t >= 0; --t) {
    if (t >= steps) continue;
    float values[V], dy[V];
    for (int j = 0; j < V; ++j) {
      values[j] = to_float(in[t].value[j]);
      dy[j] = neuron.back(to_float(g[t].value[j]), h[t][j], error[j]);
    }
    use(values, dy, t);
  }
}

// The factor that the sweep's gradients lack: the neuron's and, for an average pool, a place's
// share.
template <class Neuron>
__device__ float factor_of(const NormNeuronBackward& a, const Neuron& neuron) {
  return a.pool.used && a.pool.kind == PoolKind::kAverage ? 0.25f * neuron.factor()
                                                          : neuron.factor();
}

// Blocks of a sweep that a multiprocessor must hold; registers are limited to fit.
constexpr int sweep_blocks(int width, int steps, bool pooled) {
  return width * steps <= (pooled ? 32 : 40) ? 2 : 1;
}

// Per channel: the sum of dy and the sum of dy x^, where x^ is the normalised x.
template <class Step, class T, int V, int kSteps, bool kUsual, bool kPooled>
__global__ void __launch_bounds__(kThreadsPerBlock, sweep_blocks(V, kSteps, kPooled))
    sum_gradients(NormNeuronBackward a, int lanes, int rows) {
  const Place<V> place(a.shape, lanes, rows);
  float sum[V] = {}, with_x[V] = {};
  if (place.active) {
    const KernelNeuron<Step, V, kUsual> neuron(a.params, a.norm, place.channel);
    float mean[V];
    for (int j = 0; j < V; ++j) mean[j] = a.norm.mean[place.channel + j];

    visit_positions<T, V, kPooled>(a, place, [&](unsigned p, const auto& gradient) {
      sweep<T, V, kSteps, kPooled>(a, neuron, place, p, gradient,
                                   [&](const float* x, const float* dy, int) {
                                     for (int j = 0; j < V; ++j) {
                                       sum[j] += dy[j];
                                       with_x[j] = __fmaf_rn(dy[j], x[j] - mean[j], with_x[j]);
                                     }
                                   });
    });

    const float factor = factor_of(a, neuron);
    for (int j = 0; j < V; ++j) {
      sum[j] *= factor;
      with_x[j] *= factor * a.norm.inverse_std[place.channel + j];
    }
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

// dL/dx = gamma inverse_std (dy - mean(dy) - x^ mean(dy x^)) if the norm measured x; with running
// statistics the means are left out; without a norm dL/dx = dy.
template <class Step, class T, int V, int kSteps, bool kUsual, bool kPooled>
__global__ void __launch_bounds__(kThreadsPerBlock, sweep_blocks(V, kSteps, kPooled))
    grad_input(NormNeuronBackward a, int lanes, int rows) {
  const Place<V> place(a.shape, lanes, rows);
  if (!place.active) return;
  const KernelNeuron<Step, V, kUsual> neuron(a.params, a.norm, place.channel);
  const float count = static_cast<float>(a.shape.steps * a.shape.positions());

  // The same as a linear function: scale dy + slope x + offset.
  float scale[V], slope[V] = {}, offset[V] = {};
  for (int j = 0; j < V; ++j) {
    const unsigned channel = place.channel + j;
    const float by_norm =
        a.norm.gamma != nullptr ? a.norm.gamma[channel] * a.norm.inverse_std[channel] : 1.0f;
    scale[j] = by_norm * factor_of(a, neuron);
    if (a.norm.gamma == nullptr || !a.measured) continue;
    slope[j] = -by_norm * a.grad_gamma[channel] / count * a.norm.inverse_std[channel];
    offset[j] = -by_norm * a.grad_beta[channel] / count - slope[j] * a.norm.mean[channel];
  }

  const bool summed = a.shape.summed_gradient;
  visit_positions<T, V, kPooled>(a, place, [&](unsigned p, const auto& gradient) {
    const unsigned i = place.offset(p);
    float over_time[V] = {};
    const auto use = [&](const float* x, const float* dy, int t) {
      Pack<T, V> out;
      for (int j = 0; j < V; ++j) {
        const float value = __fmaf_rn(scale[j], dy[j], __fmaf_rn(slope[j], x[j], offset[j]));
        over_time[j] += value;
        out.value[j] = from_float<T>(value);
      }
      if (!summed) store_at(a.grad_x, a.shape.n, t, i, out);
    };
    sweep<T, V, kSteps, kPooled>(a, neuron, place, p, gradient, use);

    if (!summed) return;
    Pack<T, V> out;
    for (int j = 0; j < V; ++j) out.value[j] = from_float<T>(over_time[j]);
    store_at(a.grad_x, 0, 0, i, out);
  });
}

bool is_usual_length(int64_t steps) {
  return steps == 4 || steps == 6 || steps == 8 || steps == 10;
}

// Chooses width, steps, kind of neuron and pool of the backward. Few combinations are compiled: the
// usual neuron with the usual numbers of steps; everything else with room for the longest sequence
// and no pool.
template <class T, class Launch>
void with_sweep(const NormNeuronBackward& a, Launch&& launch) {
  constexpr std::integral_constant<int, 8 / sizeof(T)> kWide;
  constexpr std::integral_constant<int, 1> kNarrow;
  constexpr std::integral_constant<int, kMaxFusedSteps> kLongest;
  constexpr std::true_type kYes;
  constexpr std::false_type kNo;

  const auto usual = [&](auto steps) {
    if (a.pool.used) return launch(kWide, steps, kYes, kYes);
    launch(kWide, steps, kYes, kNo);
  };

  if (a.shape.channels % kWide != 0) return launch(kNarrow, kLongest, kNo, kNo);
  if (!is_usual(a.params) || !is_usual_length(a.shape.steps))
    return launch(kWide, kLongest, kNo, kNo);
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

bool can_pool_spikes(const NeuronParams& params, const SequenceShape& s) {
  return is_usual(params) && s.channels % 8 == 0 && is_usual_length(s.steps);
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
        constexpr int64_t kParts = kMaxParts / 4 * sweep_blocks(width, steps, pooled);
        const int64_t positions = a.shape.positions();
        const Grid grid =
            grid_of(a.shape, pooled ? windows_of(a.pool, positions) : positions, width, kParts);

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
