// A block takes one tap of a tile of out x in channels and transposes the tile in shared memory, so
// that both results are written in order of memory.
#include "spikenm/kernels/conv_weight.h"
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"

namespace spikenm::kernels {
namespace {

constexpr int kTile = 32, kLines = kThreadsPerBlock / kTile;

template <class From, class T>
__global__ void both_ways(ConvWeight a) {
  __shared__ T tile[kTile][kTile + 1];
  const int64_t in = blockIdx.x * kTile, out = blockIdx.y * kTile, tap = blockIdx.z;
  const int64_t lane = threadIdx.x;

  for (int i = threadIdx.y; i < kTile; i += kLines)
    if (out + i < a.out && in + lane < a.in) {
      const From* const weight = static_cast<const From*>(a.weight);
      const T value =
          from_float<T>(to_float(weight[((out + i) * a.in + in + lane) * a.taps + tap]));
      tile[i][lane] = value;
      static_cast<T*>(a.forward)[((out + i) * a.taps + tap) * a.in + in + lane] = value;
    }

  if (a.backward == nullptr) return;
  __syncthreads();
  for (int i = threadIdx.y; i < kTile; i += kLines)
    if (in + i < a.in && out + lane < a.out)
      static_cast<T*>(a.backward)[((in + i) * a.taps + a.taps - 1 - tap) * a.out + out + lane] =
          tile[lane][i];
}

}  // namespace

void conv_weight_cuda(const ConvWeight& a, void* stream) {
  if (a.out * a.in * a.taps == 0) return;
  const dim3 blocks(static_cast<unsigned>((a.in + kTile - 1) / kTile),
                    static_cast<unsigned>((a.out + kTile - 1) / kTile),
                    static_cast<unsigned>(a.taps));

  with_type(a.real, [&](auto zero) {
    using T = decltype(zero);
    const auto kernel = a.from_float ? both_ways<float, T> : both_ways<T, T>;
    kernel<<<blocks, dim3(kTile, kLines), 0, static_cast<cudaStream_t>(stream)>>>(a);
  });
  check_launch("conv_weight");
}

}  // namespace spikenm::kernels
