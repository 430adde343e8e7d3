// What we ask of torch's CUDA: the stream its own work goes to, so that ours stays in order with
// it, and what it has done.
#pragma once

#include <cstdint>

namespace spikenm::ops {

// A cudaStream_t of the current device. Without CUDA in the build: an Error.
void* current_stream();

// Waits until the GPU has done all it was given.
void synchronize();

// Bytes of GPU memory that tensors held at most since the last reset.
int64_t peak_memory();
void reset_peak_memory();

// Whether this build and machine can run on a GPU.
bool cuda_is_available();

}  // namespace spikenm::ops
