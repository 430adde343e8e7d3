// From a batch of the loader to what a network takes.
#pragma once

#include <ATen/core/Tensor.h>

namespace spikenm::nn {

// [B,C,H,W] (static images) becomes [1,B,C,H,W], a current that lasts for all T steps of a pass;
// [T,B,C,H,W] (event frames) passes as it is, and must have T steps.
at::Tensor encode(const at::Tensor& batch, int64_t T);

}  // namespace spikenm::nn
