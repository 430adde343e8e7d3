// From a batch of the loader to what a network takes.
#pragma once

#include <ATen/core/Tensor.h>

namespace spikenm::nn {

// [B,C,H,W] (static images) is shown unchanged at every one of T steps; [T,B,C,H,W] (event frames)
// passes as it is, and must have T steps. The result is [T,B,C,H,W].
at::Tensor encode(const at::Tensor& batch, int64_t T);

}  // namespace spikenm::nn
