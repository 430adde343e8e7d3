// Limits the size of gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace spikenm::ops {

// Scales all gradients by one factor, so that the Euclidean norm of all of them together is at most
// `limit`. On the CPU the norm is summed in a fixed order; on a GPU the host does not wait for it.
void clip_gradients(const std::vector<at::Tensor>& gradients, double limit);

}  // namespace spikenm::ops
