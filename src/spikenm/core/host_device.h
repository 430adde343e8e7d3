// Lets one function serve the host and CUDA. Forced inline on the host, so that a copy compiled in
// an AVX-512 file can never be the one the linker keeps for everybody.
#pragma once

#if defined(__CUDACC__)
#define SPIKENM_HD __host__ __device__ __forceinline__
#else
#define SPIKENM_HD inline __attribute__((always_inline))
#endif

// Before a loop of few rounds that must become straight code on a GPU: an array that is indexed by
// a variable cannot stay in registers.
#if defined(__CUDA_ARCH__)
#define SPIKENM_UNROLL _Pragma("unroll")
#else
#define SPIKENM_UNROLL
#endif
