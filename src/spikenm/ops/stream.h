// What we ask of torch's CUDA: the stream its own work goes to, so that ours stays in order with
// it, and what it has done.
#pragma once

#include <cstdint>
#include <functional>

namespace spikenm::ops {

// A cudaStream_t of the current device. Without CUDA in the build: an Error.
void* current_stream();

// Gives the GPU work(0) to work(count - 1), which do not depend on one another, on several streams:
// pieces that leave some of the chip idle share it. The current stream's earlier work is done
// before them, its later work after them.
void run_side_by_side(int64_t count, const std::function<void(int64_t)>& work);

// Waits until the GPU has done all it was given.
void synchronize();

// Milliseconds the current stream is busy with what `work` gives it, by the GPU's own clock.
double time_on_gpu(const std::function<void()>& work);

// Bytes of GPU memory that tensors held at most since the last reset.
int64_t peak_memory();
void reset_peak_memory();

// Whether this build and machine can run on a GPU.
bool cuda_is_available();

}  // namespace spikenm::ops
