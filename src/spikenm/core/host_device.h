// Marks a function for both the host and CUDA. It is always inlined on the host: otherwise the
// linker could keep the copy from an AVX-512 file for all callers.
#pragma once

#if defined(__CUDACC__)
#define SPIKENM_HD __host__ __device__ __forceinline__
#else
#define SPIKENM_HD inline __attribute__((always_inline))
#endif

// Unrolls the short loop that follows, on a GPU: an array that is indexed by a variable cannot stay
// in registers.
#if defined(__CUDA_ARCH__)
#define SPIKENM_UNROLL _Pragma("unroll")
#else
#define SPIKENM_UNROLL
#endif
