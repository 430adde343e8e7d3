// A thread owns one element and walks all steps, so that sums stay in registers. Slices of a
// convolution are channels-last, [out, taps, channels], and the sums [out, channels, taps]: reads
// are in order, writes are not, but there are fewer of them.
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"
#include "spikenm/kernels/trace.h"

#include <algorithm>

namespace spikenm::kernels {
namespace {

constexpr int kMaxSlices = 64;  // of a launch

struct Slices {
  const void* slice[kMaxSlices];
  int steps;
  bool first;  // sums start at zero, not at what is there
};

template <class T>
__global__ void accumulate(Slices slices, unsigned n, unsigned channels, unsigned taps,
                           float* total, float* credit) {
  const auto i = static_cast<unsigned>(thread_index());
  if (i >= n) return;
  const unsigned row = i / channels, channel = i - row * channels;
  const unsigned out = row / taps, tap = row - out * taps;
  const unsigned at = (out * channels + channel) * taps + tap;
  float sum = slices.first ? 0.0f : total[at];
  float sizes = slices.first || credit == nullptr ? 0.0f : credit[at];
#pragma unroll 4
  for (int t = 0; t < slices.steps; ++t) {
    const float g = to_float(static_cast<const T*>(slices.slice[t])[i]);
    sum += g;
    sizes += fabsf(g);
  }
  total[at] = sum;
  if (credit != nullptr) credit[at] = sizes;
}

}  // namespace

void accumulate_credit_cuda(const CreditSlices& a, void* stream) {
  if (a.n == 0) return;
  if (a.n >= int64_t{1} << 32)
    throw std::runtime_error("accumulate_credit: found 2^32 weights or more, wanted fewer");
  for (size_t begin = 0; begin < a.slices.size(); begin += kMaxSlices) {
    Slices part{};
    part.steps = static_cast<int>(std::min<size_t>(kMaxSlices, a.slices.size() - begin));
    part.first = begin == 0;
    std::copy_n(a.slices.begin() + static_cast<int64_t>(begin), part.steps, part.slice);
    with_type(a.real, [&](auto zero) {
      accumulate<decltype(zero)>
          <<<grid_for(a.n), kThreadsPerBlock, 0, static_cast<cudaStream_t>(stream)>>>(
              part, static_cast<unsigned>(a.n), static_cast<unsigned>(a.channels),
              static_cast<unsigned>(a.taps), a.total, a.credit);
    });
  }
  check_launch("accumulate_credit");
}

}  // namespace spikenm::kernels
