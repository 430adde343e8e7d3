// A thread owns one element and walks all steps, so that sums stay in registers. A convolution's
// slices are channels-last, [out, taps, channels], and its sums [out, channels, taps]: a block
// transposes a tile of one output channel in shared memory, so that both are accessed in order of
// memory.
#include "spikenm/kernels/credit_sum.h"
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"

#include <algorithm>

namespace spikenm::kernels {
namespace {

constexpr int kMaxSlices = 64;            // per launch
constexpr unsigned kTileElements = 6144;  // fit into a block's shared memory

struct Sums {
  float total = 0, credit = 0;
};

struct Slices {
  const void* slice[kMaxSlices];
  int steps;
  bool first;           // sums start at zero, not at the values in memory
  const float* factor;  // multiplies finished sums; null: 1

  __device__ Sums finished(const Sums& sums) const {
    if (factor == nullptr) return sums;
    return {.total = sums.total * *factor, .credit = sums.credit * *factor};
  }
};

template <class T>
__device__ Sums add_slices(const Slices& slices, Sums sums, unsigned i) {
#pragma unroll 8
  for (int t = 0; t < slices.steps; ++t) {
    const float g = to_float(static_cast<const T*>(slices.slice[t])[i]);
    sums.total += g;
    sums.credit += fabsf(g);
  }
  return sums;
}

__device__ Sums earlier_sums(const Slices& slices, const float* total, const float* credit,
                             unsigned i) {
  if (slices.first) return {};
  return {.total = total[i], .credit = credit != nullptr ? credit[i] : 0.0f};
}

template <class T>
__global__ void accumulate(Slices slices, unsigned n, float* total, float* credit) {
  const auto i = static_cast<unsigned>(thread_index());
  if (i >= n) return;
  const Sums sums =
      slices.finished(add_slices<T>(slices, earlier_sums(slices, total, credit, i), i));
  total[i] = sums.total;
  if (credit != nullptr) credit[i] = sums.credit;
}

// Block (x, y): `width` channels from x * width on, of output channel y, all taps.
template <class T>
__global__ void accumulate_turned(Slices slices, unsigned channels, unsigned taps, unsigned width,
                                  float* total, float* credit) {
  extern __shared__ Sums tile[];  // [channel, tap]
  const unsigned first = blockIdx.x * width, left = min(width, channels - first);
  const unsigned from = blockIdx.y * taps * channels + first;  // in a slice
  const unsigned to = (blockIdx.y * channels + first) * taps;  // in a sum

  for (unsigned e = threadIdx.x; e < width * taps; e += blockDim.x) {
    const unsigned tap = e / width, channel = e - tap * width;
    if (channel < left)
      tile[channel * taps + tap] = slices.finished(
          add_slices<T>(slices, earlier_sums(slices, total, credit, to + channel * taps + tap),
                        from + tap * channels + channel));
  }

  __syncthreads();
  for (unsigned e = threadIdx.x; e < left * taps; e += blockDim.x) {
    total[to + e] = tile[e].total;
    if (credit != nullptr) credit[to + e] = tile[e].credit;
  }
}

}  // namespace

void accumulate_credit_cuda(const CreditSlices& a, void* stream) {
  if (a.n == 0) return;
  if (a.n >= int64_t{1} << 32)
    throw std::runtime_error("accumulate_credit: found 2^32 weights or more, wanted fewer");
  if (a.taps > kTileElements)
    throw std::runtime_error("accumulate_credit: found a kernel of over 6144 taps, wanted fewer");

  const auto s = static_cast<cudaStream_t>(stream);
  const auto channels = static_cast<unsigned>(a.channels), taps = static_cast<unsigned>(a.taps);
  const unsigned width = std::min(64u, kTileElements / taps);
  const dim3 tiles((channels + width - 1) / width,
                   static_cast<unsigned>(a.n / (a.channels * a.taps)));

  for (size_t begin = 0; begin < a.slices.size(); begin += kMaxSlices) {
    Slices part{};
    part.steps = static_cast<int>(std::min<size_t>(kMaxSlices, a.slices.size() - begin));
    part.first = begin == 0;
    part.factor = begin + kMaxSlices >= a.slices.size() ? a.factor : nullptr;
    std::copy_n(a.slices.begin() + static_cast<int64_t>(begin), part.steps, part.slice);
    with_type(a.real, [&](auto zero) {
      using T = decltype(zero);
      if (taps == 1) {
        accumulate<T><<<grid_for(a.n), kThreadsPerBlock, 0, s>>>(part, static_cast<unsigned>(a.n),
                                                                 a.total, a.credit);
      } else {
        accumulate_turned<T><<<tiles, kThreadsPerBlock, width * taps * sizeof(Sums), s>>>(
            part, channels, taps, width, a.total, a.credit);
      }
    });
  }
  check_launch("accumulate_credit");
}

}  // namespace spikenm::kernels
