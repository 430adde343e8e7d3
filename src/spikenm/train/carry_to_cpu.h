// Takes tensors from a GPU to the CPU while the GPU goes on with its other work.
#pragma once

#include <ATen/core/Tensor.h>

namespace spikenm::train {

// A copy on the CPU. The tensor must be complete, since this waits for no other work, and without
// gaps. Memory that is copied in one go must be page-locked, so the bytes go through a small piece
// of such memory, which all calls share.
at::Tensor carried_to_cpu(const at::Tensor& tensor);

// Gets the stream and the memory that the first carrying would otherwise wait for.
void prepare_to_carry(const at::Device& device);

}  // namespace spikenm::train
