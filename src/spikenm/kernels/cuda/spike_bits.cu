// One thread a byte: eight spikes.
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

template <class T>
__global__ void pack(int64_t bytes, const T* spikes, uint8_t* bits) {
  const int64_t i = thread_index();
  if (i >= bytes) return;
  const auto values = load<T, 8>(spikes + 8 * i);
  unsigned byte = 0;
  for (int j = 0; j < 8; ++j) byte |= (to_float(values.value[j]) != 0.0f ? 1u : 0u) << j;
  bits[i] = static_cast<uint8_t>(byte);
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

void pack_spikes_cuda(int64_t n, Real real, const void* spikes, uint8_t* bits, void* stream) {
  if (n == 0) return;
  with_type(real, [&](auto zero) {
    using T = decltype(zero);
    pack<<<grid_for(n / 8), kThreadsPerBlock, 0, static_cast<cudaStream_t>(stream)>>>(
        n / 8, static_cast<const T*>(spikes), bits);
  });
  check_launch("pack_spikes");
}

}  // namespace spikenm::kernels
