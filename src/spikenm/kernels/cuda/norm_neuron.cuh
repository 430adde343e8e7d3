// A thread owns V neighbouring channels of a position and walks all time steps; then it takes its
// next position, with the same channels.
//
//   step t     position 0  [ V ][ V ][ V ] …  channels      a row of threads: one position
//              position 1  [ V ][ V ][ V ] …                a block: several rows
//              position 2  …                                a grid: parts of rows, channel tiles
//   step t+1   …            ^ one thread reads this place in every step
//
// Sums over positions: every block writes one partial sum per channel, and a small kernel adds the
// blocks' sums in order.
#pragma once

#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"
#include "spikenm/kernels/math/steps/all.h"
#include "spikenm/kernels/norm_neuron.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

namespace spikenm::kernels {

constexpr int64_t kMaxParts = 528;  // partial sums of a channel: four blocks per multiprocessor
constexpr int kFinishLanes = 16, kFinishRows = 64;

struct Grid {
  int lanes, rows;  // threads of a block along the channels, and along the positions
  dim3 blocks, threads;
};

inline Grid grid_of(const SequenceShape& s, int64_t positions, int width,
                    int64_t max_parts = kMaxParts) {
  const int64_t groups = s.channels / width;
  const int lanes = static_cast<int>(std::min<int64_t>(groups, kThreadsPerBlock));
  const int rows = kThreadsPerBlock / lanes;
  const int64_t parts = std::clamp<int64_t>((positions + rows - 1) / rows, 1, max_parts);
  const int64_t tiles = (groups + lanes - 1) / lanes;
  return {lanes, rows, dim3(static_cast<unsigned>(parts), static_cast<unsigned>(tiles)),
          dim3(static_cast<unsigned>(lanes * rows))};
}

// The channels and positions of a thread. 32 bits are enough: a step has fewer values than that.
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
  // Offset of the thread's values at a position, within a step.
  __device__ unsigned offset(unsigned p) const { return p * channels + channel; }
};

// V values at `offset` of step t. The start of the step is the same for all threads: computing it
// costs almost nothing.
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

// The norm of V channels as y = scale x + shift.
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

// Adds up first[j] and second[j] over the rows of a block and writes the sums to
// parts[blockIdx.x][2][channels].
template <int V>
__device__ __forceinline__ void leave_partial_sums(const float* first, const float* second,
                                                   const Place<V>& place, int lanes, int rows,
                                                   int64_t channels, float* parts) {
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

// Both sums of a channel over all parts, in double and always in the same order. A block adds up
// kFinishLanes channels, kFinishRows parts at a time. Returns true for the thread that has the
// sums.
__device__ __forceinline__ bool total_of(const float* parts, unsigned n_parts, int64_t channels,
                                         int64_t channel, double& first, double& second) {
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

__device__ __forceinline__ int64_t finish_channel() {
  return static_cast<int64_t>(blockIdx.x) * kFinishLanes + threadIdx.x;
}

// A neuron after the norm, V channels of it, as the kernels use it. charge() returns h[t] from x[t]
// and v[t-1], after() returns v[t]. back() carries the error one step back and returns dL/d(norm's
// output) divided by factor().
template <class Step, int V>
struct AnyNeuron {
  static constexpr bool kAllSteps = false;  // whether its kernels know the number of steps
  NeuronParams params;
  NeuronConstants<float> c;
  Affine<V> affine;

  __device__ AnyNeuron(const NeuronParams& p, const NormConstants& norm, unsigned channel)
      : params(p), c(neuron_constants<float, float>(p)), affine(norm, channel) {}
  __device__ float rest() const { return c.charge.rest; }
  __device__ float charge(int j, float x, float v) const {
    return saturate(Step::charge(v, affine(j, x), c.charge));
  }
  __device__ bool fires(float h) const { return h >= c.threshold; }
  __device__ float after(float h) const { return membrane_after(c, params.soft_reset, h); }
  __device__ float back(float g, float h, float& error) const {
    float grad_x, grad_k;
    neuron_backward_step<Step>(c, params, g, h, 0.0f, 0.0f, error, grad_x, grad_k);
    return grad_x;
  }
  __device__ float factor() const { return 1.0f; }
};

// The usual neuron (ATan, hard reset, no gradient through the reset) in fewer instructions, because
// instructions limit its kernels. Norm and charge together are linear in x, and factors that all
// steps share are applied at the end.
template <class Step, int V>
struct UsualNeuron {
  static constexpr bool kAllSteps = true;
  float scale[V], shift[V];  // h = keep v + scale x + shift
  float keep, threshold, v_reset, at_rest;
  float steepness, offset;  // pi/2 alpha u = steepness h + offset
  float shared;

  __device__ UsualNeuron(const NeuronParams& p, const NormConstants& norm, unsigned channel) {
    const auto c = neuron_constants<float, float>(p);
    const Affine<V> affine(norm, channel);
    const float gain = Step::d_input(c.charge), pull = Step::charge(0.0f, 0.0f, c.charge);
    for (int j = 0; j < V; ++j) {
      scale[j] = gain * affine.scale[j];
      shift[j] = __fmaf_rn(gain, affine.shift[j], pull);
    }

    keep = Step::d_membrane(c.charge);
    threshold = c.threshold;
    v_reset = c.v_reset;
    at_rest = c.charge.rest;
    steepness = static_cast<float>(kHalfPi) * c.alpha;
    offset = -steepness * threshold;
    shared = 0.5f * c.alpha * gain;
  }
  __device__ float rest() const { return at_rest; }
  // A membrane of plus infinity fires and is reset, so only minus infinity must be avoided.
  __device__ float charge(int j, float x, float v) const {
    const float h = __fmaf_rn(keep, v, __fmaf_rn(scale[j], x, shift[j]));
    float result;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(h), "f"(-3.40282347e38f));
    return result;
  }
  __device__ bool fires(float h) const { return h >= threshold; }
  __device__ float after(float h) const { return fires(h) ? v_reset : h; }
  // Eq. (6), as in neuron_backward_step; alpha/2 and the gain are in the shared factor.
  __device__ float back(float g, float h, float& error) const {
    const float u = __fmaf_rn(steepness, h, offset);
    const float own = quotient(g, __fmaf_rn(u, u, 1.0f));
    error = fires(h) ? own : __fmaf_rn(keep, error, own);
    return error;
  }
  __device__ float factor() const { return shared; }
};

template <class Step, int V, bool kUsual>
using KernelNeuron = std::conditional_t<kUsual, UsualNeuron<Step, V>, AnyNeuron<Step, V>>;

inline bool is_usual(const NeuronParams& p) {
  return p.surrogate == Surrogate::kAtan && !p.soft_reset && p.detach_reset;
}

// Neurons that learn their leak or have a second state have no fused kernel.
template <class Launch>
void with_neuron(Neuron neuron, Launch&& launch) {
  switch (neuron) {
#define SPIKENM_NEURON(name, step, ...)                                            \
  case Neuron::name:                                                               \
    if constexpr (!step::kLearnsLeak && step::kStates == 1) return launch(step()); \
    break;
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  }
  throw std::logic_error("norm_neuron: found a neuron that it does not serve");
}

inline unsigned finish_blocks(int64_t channels) {
  return static_cast<unsigned>((channels + kFinishLanes - 1) / kFinishLanes);
}

inline void check_size(const SequenceShape& s) {
  if (s.n >= int64_t{1} << 31)
    throw std::runtime_error("norm_neuron: found a step of 2^31 values or more, wanted fewer");
}

}  // namespace spikenm::kernels
