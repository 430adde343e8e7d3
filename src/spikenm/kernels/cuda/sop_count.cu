// A thread adds up V neighbouring places over a strip of samples and multiplies the sums by reach
// once: reach is read once per strip, and the count costs no more than reading memory.
#include "spikenm/kernels/cuda/block_sum.cuh"
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"
#include "spikenm/kernels/sop_count.h"

#include <algorithm>
#include <type_traits>

namespace spikenm::kernels {
namespace {

constexpr int kStrip = 16;  // samples

// A float has enough bits for the sum of a strip of 16-bit values, but not of floats.
template <class T>
using StripSum = std::conditional_t<sizeof(T) == 2, float, double>;

// Counts up to kStrip samples; x and reach point at the thread's first place.
template <class T, int V>
__device__ __forceinline__ double count_strip(int64_t samples, int64_t places, const T* x,
                                              const float* reach) {
  StripSum<T> sums[V] = {};
  const auto add = [&](int s) {
    const auto pack = load<T, V>(x + s * places);
    for (int k = 0; k < V; ++k) sums[k] += to_float(pack.value[k]);
  };

  if (samples >= kStrip) {
#pragma unroll
    for (int s = 0; s < kStrip; ++s) add(s);  // no branch between loads: many are in flight
  } else {
    for (int s = 0; s < samples; ++s) add(s);
  }

  const auto times = load<float, V>(reach);
  double count = 0;
  for (int k = 0; k < V; ++k)
    count += static_cast<double>(sums[k]) * static_cast<double>(times.value[k]);
  return count;
}

// A tile is a block's places over one strip; a strip has `across` tiles.
template <class T, int V>
__global__ void count(int64_t samples, int64_t places, int64_t across, int64_t tiles, const T* x,
                      const float* reach, double* parts) {
  double sum = 0;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t strip = tile / across, first = strip * kStrip;
    const int64_t place = ((tile - strip * across) * kThreadsPerBlock + threadIdx.x) * V;
    if (place < places)
      sum += count_strip<T, V>(samples - first, places, x + first * places + place, reach + place);
  }
  add_block_sum(sum, parts);
}

// A thread counts for one input over kOutputs outputs. The sums are whole numbers, so their order
// does not matter.
constexpr int64_t kOutputs = 64;

__global__ void live_weights(int64_t outputs, int64_t inputs, const float* w, float* live) {
  const int64_t i = thread_index();
  if (i >= inputs) return;
  const int64_t first = blockIdx.y * kOutputs, end = min(outputs, first + kOutputs);
  int found = 0;
#pragma unroll 8
  for (int64_t o = first; o < end; ++o) found += w[o * inputs + i] != 0 ? 1 : 0;
  if (found > 0) atomicAdd(live + i, static_cast<float>(found));
}

template <class T, int V>
void launch(int64_t samples, int64_t places, const T* x, const float* reach, double* parts,
            cudaStream_t stream) {
  const int64_t across = grid_for(places / V), tiles = (samples + kStrip - 1) / kStrip * across;
  const auto blocks = static_cast<unsigned>(std::min(tiles, kSopParts));
  count<T, V>
      <<<blocks, kThreadsPerBlock, 0, stream>>>(samples, places, across, tiles, x, reach, parts);
}

}  // namespace

void sop_count_cuda(int64_t samples, int64_t places, Real real, const void* x, const float* reach,
                    double* parts, void* stream) {
  if (samples * places == 0) return;
  const auto queue = static_cast<cudaStream_t>(stream);
  with_type(real, [&](auto zero) {
    using T = decltype(zero);
    constexpr int kWide = 16 / sizeof(T);
    const auto* const values = static_cast<const T*>(x);
    if (places % kWide == 0 && is_aligned(x, 16) && is_aligned(reach, kWide * sizeof(float))) {
      launch<T, kWide>(samples, places, values, reach, parts, queue);
    } else {
      launch<T, 1>(samples, places, values, reach, parts, queue);
    }
  });
  check_launch("sop_count");
}

void count_live_cuda(int64_t outputs, int64_t inputs, const float* w, float* live, void* stream) {
  if (outputs * inputs == 0) return;
  const dim3 blocks(grid_for(inputs), static_cast<unsigned>((outputs + kOutputs - 1) / kOutputs));
  live_weights<<<blocks, kThreadsPerBlock, 0, static_cast<cudaStream_t>(stream)>>>(outputs, inputs,
                                                                                   w, live);
  check_launch("count_live");
}

}  // namespace spikenm::kernels
