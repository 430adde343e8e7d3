// Values of 16 and 32 bits, several at a time.
#pragma once

#include "spikenm/kernels/real.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>

namespace spikenm::kernels {

template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
  T value[V];
};

template <class T, int V>
__device__ __forceinline__ Pack<T, V> load(const T* from) {
  return *reinterpret_cast<const Pack<T, V>*>(from);
}
template <class T, int V>
__device__ __forceinline__ void store(T* to, const Pack<T, V>& pack) {
  *reinterpret_cast<Pack<T, V>*>(to) = pack;
}

// Whether a pack of `bytes` bytes may start at this address.
inline bool is_aligned(const void* at, size_t bytes) {
  return reinterpret_cast<uintptr_t>(at) % bytes == 0;
}

__device__ __forceinline__ float to_float(float a) {
  return a;
}
__device__ __forceinline__ float to_float(__nv_bfloat16 a) {
  return __bfloat162float(a);
}
__device__ __forceinline__ float to_float(__half a) {
  return __half2float(a);
}

template <class T>
__device__ __forceinline__ T from_float(float a);
template <>
__device__ __forceinline__ float from_float<float>(float a) {
  return a;
}
template <>
__device__ __forceinline__ __nv_bfloat16 from_float<__nv_bfloat16>(float a) {
  return __float2bfloat16_rn(a);
}
template <>
__device__ __forceinline__ __half from_float<__half>(float a) {
  return __float2half_rn(a);
}

// Eight spikes from their bits.
template <class T>
__device__ __forceinline__ Pack<T, 8> unpacked(unsigned bits) {
  Pack<T, 8> pack;
  for (int j = 0; j < 8; ++j) pack.value[j] = from_float<T>((bits >> j & 1) != 0 ? 1.0f : 0.0f);
  return pack;
}

// Calls launch(zero of the type).
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

}  // namespace spikenm::kernels
