// What we need from torch's CUDA: its current stream, so that our work and torch's stay in order,
// and its measurements.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace spikenm::ops {

// A cudaStream_t of the current device. In a build without CUDA: throws Error.
void* current_stream();

// Does work(0) to work(count - 1), which must not depend on one another. On a GPU they go to several
// streams, so that small pieces can run at the same time: they start after the earlier work of the
// current stream, and its later work starts after them. On the CPU they are done in order.
void run_side_by_side(const at::Device& device, int64_t count,
                      const std::function<void(int64_t)>& work);

// Waits until the GPU has finished all its work.
void synchronize();

// Milliseconds that the current stream needs for what `work` sends to it, by the GPU's clock.
double time_on_gpu(const std::function<void()>& work);

// Bytes of GPU memory that tensors and libraries' workspaces hold now.
int64_t held_memory();
// Most bytes of GPU memory that tensors held at one time since the last reset.
int64_t peak_memory();
void reset_peak_memory();

// Bytes of GPU memory that this process could still have if tensors held as much as peak_memory().
int64_t spare_memory();

// Whether this build and machine can run on a GPU.
bool cuda_is_available();

}  // namespace spikenm::ops
