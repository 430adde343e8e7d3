// One thread per byte, which holds eight spikes.
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"
#include "spikenm/kernels/spike_bits.h"

namespace spikenm::kernels {
namespace {

template <class T>
__global__ void unpack(int64_t bytes, const uint8_t* bits, T* spikes) {
  const int64_t i = thread_index();
  if (i < bytes) store(spikes + 8 * i, unpacked<T>(bits[i]));
}

}  // namespace

void unpack_spikes_cuda(int64_t n, const uint8_t* bits, Real real, void* spikes, void* stream) {
  if (n == 0) return;
  with_type(real, [&](auto zero) {
    using T = decltype(zero);
    unpack<<<grid_for(n / 8), kThreadsPerBlock, 0, static_cast<cudaStream_t>(stream)>>>(
        n / 8, bits, static_cast<T*>(spikes));
  });
  check_launch("unpack_spikes");
}

}  // namespace spikenm::kernels
