// A thread owns V neighbouring channels of one position and walks all time steps; its neighbours
// own the next channels, so that every access is one wide line.
//
//            channels ->                         sums over positions (statistics, backward):
//   step t   [ V ][ V ][ V ]...  position 0        threadIdx.x  which V channels
//            [ V ][ V ][ V ]...  position 1        threadIdx.y  which position, in strides
//              ^ one thread reads this place       blockIdx.y   a share of the positions; each
//              block
//   step t+1 [ V ]... in every step                             leaves partial sums, added up later
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"
#include "spikenm/kernels/math/steps/all.h"
#include "spikenm/kernels/norm_neuron.h"

#include <algorithm>

namespace spikenm::kernels {
namespace {

constexpr int kLanes = 32;                        // threads along the channels
constexpr int kRows = kThreadsPerBlock / kLanes;  // and along the positions
constexpr int64_t kMaxParts = 1024;               // partial sums of a channel

// How positions are shared out among blocks.
struct SumGrid {
  int64_t positions;
  unsigned channel_blocks, parts;
};

SumGrid sum_grid(const SequenceShape& s, int64_t positions, int width) {
  const auto across = static_cast<unsigned>((s.channels + kLanes * width - 1) / (kLanes * width));
  const int64_t wanted = std::max<int64_t>(1, 132 * 8 / across);
  const int64_t most = (positions + kRows - 1) / kRows;
  return {positions, across,
          static_cast<unsigned>(std::clamp<int64_t>(wanted, 1, std::min(most, kMaxParts)))};
}

// The affine map of V channels.
template <int V>
struct Affine {
  float mean[V], scale[V], beta[V];

  __device__ Affine(const NormConstants& norm, int64_t channel) {
    for (int j = 0; j < V; ++j) {
      const bool has = norm.gamma != nullptr;
      mean[j] = has ? norm.mean[channel + j] : 0.0f;
      scale[j] = has ? norm.gamma[channel + j] * norm.inverse_std[channel + j] : 1.0f;
      beta[j] = has ? norm.beta[channel + j] : 0.0f;
    }
  }
  __device__ float operator()(int j, float x) const {
    return __fmaf_rn(x - mean[j], scale[j], beta[j]);
  }
};

// Adds up first[j] and second[j] over the rows of a block and leaves them in
// parts[blockIdx.y][2][channels].
template <int V>
__device__ void leave_partial_sums(const float* first, const float* second, int64_t channel,
                                   int64_t channels, float* parts) {
  __shared__ float sums[2][kRows][kLanes * V];
  for (int j = 0; j < V; ++j) {
    sums[0][threadIdx.y][threadIdx.x * V + j] = first[j];
    sums[1][threadIdx.y][threadIdx.x * V + j] = second[j];
  }
  __syncthreads();
  if (threadIdx.y >= 2 || channel >= channels) return;
  for (int j = 0; j < V; ++j) {
    float sum = 0;
    for (int r = 0; r < kRows; ++r) sum += sums[threadIdx.y][r][threadIdx.x * V + j];
    parts[(blockIdx.y * 2 + threadIdx.y) * channels + channel + j] = sum;
  }
}

template <class T, int V>
__global__ void sum_values(NormStatistics a, SumGrid grid) {
  const int64_t channels = a.shape.channels;
  const int64_t channel = (blockIdx.x * kLanes + threadIdx.x) * static_cast<int64_t>(V);
  float sum[V] = {}, squares[V] = {};
  if (channel < channels) {
    const T* x = static_cast<const T*>(a.x) + channel;
#pragma unroll 4
    for (int64_t p = blockIdx.y * kRows + threadIdx.y; p < grid.positions;
         p += grid.parts * kRows) {
      const auto pack = load<T, V>(x + p * channels);
      for (int j = 0; j < V; ++j) {
        const float value = to_float(pack.value[j]);
        sum[j] += value;
        squares[j] = __fmaf_rn(value, value, squares[j]);
      }
    }
  }
  leave_partial_sums<V>(sum, squares, channel, channels, a.workspace);
}

// Sums of a channel over all parts, in double and in order.
__device__ void total_of(const float* parts, unsigned n_parts, int64_t channels, int64_t channel,
                         double& first, double& second) {
  first = second = 0;
  for (unsigned p = 0; p < n_parts; ++p) {
    first += parts[(p * 2) * channels + channel];
    second += parts[(p * 2 + 1) * channels + channel];
  }
}

__global__ void finish_statistics(NormStatistics a, SumGrid grid) {
  const int64_t c = thread_index();
  if (c >= a.shape.channels) return;
  double sum, squares;
  total_of(a.workspace, grid.parts, a.shape.channels, c, sum, squares);
  const double n = static_cast<double>(grid.positions), mean = sum / n;
  const double variance = max(squares / n - mean * mean, 0.0);
  a.mean[c] = static_cast<float>(mean);
  a.variance[c] = static_cast<float>(variance);
  a.inverse_std[c] = static_cast<float>(1 / sqrt(variance + a.eps));
}

template <class Step, class T, int V>
__global__ void forward(NormNeuronForward a) {
  const int64_t n = a.shape.n;
  const int64_t i = thread_index() * V;
  if (i >= n) return;
  const auto c = neuron_constants<float, float>(a.params);
  const Affine<V> affine(a.norm, i % a.shape.channels);
  const T* x = static_cast<const T*>(a.x) + i;
  T* spikes = static_cast<T*>(a.spikes) + i;
  float v[V];
  for (int j = 0; j < V; ++j) v[j] = c.charge.rest;
#pragma unroll 4
  for (int64_t t = 0; t < a.shape.steps; ++t) {
    const auto in = load<T, V>(x + t * n);
    Pack<T, V> out;
    for (int j = 0; j < V; ++j) {
      float h, spike;
      neuron_forward_step<Step>(c, a.params.soft_reset, affine(j, to_float(in.value[j])), v[j], h,
                                spike);
      out.value[j] = from_float<T>(spike);
    }
    store(spikes + t * n, out);
  }
}

// Runs the membrane forward from x, keeping h in registers, then the error backward: for every step
// use(t, x, gradients of the neuron's input) is called with V values each.
template <class Step, class T, int V, int kSteps, class Use>
__device__ void sweep(const NormNeuronBackward& a, const NeuronConstants<float>& c,
                      const Affine<V>& affine, int64_t i, Use&& use) {
  const int64_t n = a.shape.n;
  const int steps = static_cast<int>(a.shape.steps);
  const T* x = static_cast<const T*>(a.x) + i;
  const T* grad = static_cast<const T*>(a.grad_spikes) + i;
  float h[kSteps][V], v[V], error[V];
  for (int j = 0; j < V; ++j) {
    v[j] = c.charge.rest;
    error[j] = 0;
  }
#pragma unroll
  for (int t = 0; t < kSteps; ++t) {
    if (t >= steps) continue;
    const auto in = load<T, V>(x + t * n);
    for (int j = 0; j < V; ++j) {
      float spike;
      neuron_forward_step<Step>(c, a.params.soft_reset, affine(j, to_float(in.value[j])), v[j],
                                h[t][j], spike);
    }
  }
#pragma unroll
  for (int t = kSteps - 1; t >= 0; --t) {
    if (t >= steps) continue;
    const auto in = load<T, V>(x + t * n), g = load<T, V>(grad + t * n);
    float values[V], dy[V];
    for (int j = 0; j < V; ++j) {
      float grad_k;
      values[j] = to_float(in.value[j]);
      neuron_backward_step<Step>(c, a.params, to_float(g.value[j]), h[t][j], 0.0f, 0.0f, error[j],
                                 dy[j], grad_k);
    }
    use(t, values, dy);
  }
}

// sum dy and sum dy x^ of every channel.
template <class Step, class T, int V, int kSteps>
__global__ void sum_gradients(NormNeuronBackward a, SumGrid grid) {
  const int64_t channels = a.shape.channels;
  const int64_t channel = (blockIdx.x * kLanes + threadIdx.x) * static_cast<int64_t>(V);
  float sum[V] = {}, with_x[V] = {};
  if (channel < channels) {
    const auto c = neuron_constants<float, float>(a.params);
    const Affine<V> affine(a.norm, channel);
    float inverse_std[V];
    for (int j = 0; j < V; ++j) inverse_std[j] = a.norm.inverse_std[channel + j];
    for (int64_t p = blockIdx.y * kRows + threadIdx.y; p < grid.positions; p += grid.parts * kRows)
      sweep<Step, T, V, kSteps>(
          a, c, affine, p * channels + channel, [&](int, const float* x, const float* dy) {
            for (int j = 0; j < V; ++j) {
              sum[j] += dy[j];
              with_x[j] = __fmaf_rn(dy[j], (x[j] - affine.mean[j]) * inverse_std[j], with_x[j]);
            }
          });
  }
  leave_partial_sums<V>(sum, with_x, channel, channels, a.workspace);
}

__global__ void finish_gradients(NormNeuronBackward a, SumGrid grid) {
  const int64_t c = thread_index();
  if (c >= a.shape.channels) return;
  double sum, with_x;
  total_of(a.workspace, grid.parts, a.shape.channels, c, sum, with_x);
  a.grad_beta[c] = static_cast<float>(sum);
  a.grad_gamma[c] = static_cast<float>(with_x);
}

// dL/dx = gamma inverse_std (dy - mean(dy) - x^ mean(dy x^)); without a norm dL/dx = dy.
template <class Step, class T, int V, int kSteps>
__global__ void grad_input(NormNeuronBackward a) {
  const int64_t n = a.shape.n;
  const int64_t i = thread_index() * V;
  if (i >= n) return;
  const int64_t channel = i % a.shape.channels;
  const auto c = neuron_constants<float, float>(a.params);
  const Affine<V> affine(a.norm, channel);
  const float count = static_cast<float>(a.shape.steps * (n / a.shape.channels));
  float mean_dy[V] = {}, slope[V] = {};
  if (a.norm.gamma != nullptr)
    for (int j = 0; j < V; ++j) {
      mean_dy[j] = a.grad_beta[channel + j] / count;
      slope[j] = a.grad_gamma[channel + j] / count * a.norm.inverse_std[channel + j];
    }
  T* grad_x = static_cast<T*>(a.grad_x) + i;
  sweep<Step, T, V, kSteps>(a, c, affine, i, [&](int t, const float* x, const float* dy) {
    Pack<T, V> out;
    for (int j = 0; j < V; ++j)
      out.value[j] = from_float<T>(affine.scale[j] *
                                   (dy[j] - mean_dy[j] - (x[j] - affine.mean[j]) * slope[j]));
    store(grad_x + t * n, out);
  });
}

// V values that lie in 8 bytes, or one where the channels do not divide.
template <class T, class Launch>
void with_width(int64_t channels, Launch&& launch) {
  constexpr int kWidth = 8 / sizeof(T);
  if (channels % kWidth == 0) {
    launch(std::integral_constant<int, kWidth>());
  } else {
    launch(std::integral_constant<int, 1>());
  }
}

template <class Launch>
void with_type(Real real, Launch&& launch) {
  switch (real) {
    case Real::kFloat:
      return launch(float());
    case Real::kBfloat16:
      return launch(__nv_bfloat16());
    case Real::kHalf:
      return launch(__half());
  }
}

template <class Launch>
void with_steps(int64_t steps, Launch&& launch) {
  if (steps <= 4) return launch(std::integral_constant<int, 4>());
  if (steps <= 8) return launch(std::integral_constant<int, 8>());
  launch(std::integral_constant<int, kMaxFusedSteps>());
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

}  // namespace

int64_t norm_workspace(const SequenceShape& shape) {
  return 2 * kMaxParts * shape.channels;
}

void norm_statistics_cuda(const NormStatistics& a, void* stream) {
  const auto s = static_cast<cudaStream_t>(stream);
  with_type(a.shape.real, [&](auto zero) {
    using T = decltype(zero);
    with_width<T>(a.shape.channels, [&](auto width) {
      const SumGrid grid = sum_grid(a.shape, a.shape.steps * a.shape.n / a.shape.channels, width);
      sum_values<T, width>
          <<<dim3(grid.channel_blocks, grid.parts), dim3(kLanes, kRows), 0, s>>>(a, grid);
      finish_statistics<<<grid_for(a.shape.channels), kThreadsPerBlock, 0, s>>>(a, grid);
    });
  });
  check_launch("norm_statistics");
}

void norm_neuron_forward_cuda(const NormNeuronForward& a, void* stream) {
  if (a.shape.n == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  with_neuron(a.params.neuron, [&](auto step) {
    with_type(a.shape.real, [&](auto zero) {
      using T = decltype(zero);
      with_width<T>(a.shape.channels, [&](auto width) {
        forward<decltype(step), T, width>
            <<<grid_for(a.shape.n / width), kThreadsPerBlock, 0, s>>>(a);
      });
    });
  });
  check_launch("norm_neuron_forward");
}

void norm_neuron_backward_cuda(const NormNeuronBackward& a, void* stream) {
  if (a.shape.n == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  with_neuron(a.params.neuron, [&](auto step) {
    using Step = decltype(step);
    with_type(a.shape.real, [&](auto zero) {
      using T = decltype(zero);
      with_width<T>(a.shape.channels, [&](auto width) {
        with_steps(a.shape.steps, [&](auto steps) {
          if (a.norm.gamma != nullptr) {
            const SumGrid grid = sum_grid(a.shape, a.shape.n / a.shape.channels, width);
            sum_gradients<Step, T, width, steps>
                <<<dim3(grid.channel_blocks, grid.parts), dim3(kLanes, kRows), 0, s>>>(a, grid);
            finish_gradients<<<grid_for(a.shape.channels), kThreadsPerBlock, 0, s>>>(a, grid);
          }
          grad_input<Step, T, width, steps>
              <<<grid_for(a.shape.n / width), kThreadsPerBlock, 0, s>>>(a);
        });
      });
    });
  });
  check_launch("norm_neuron_backward");
}

}  // namespace spikenm::kernels
