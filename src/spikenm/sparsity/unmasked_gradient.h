// A masked weight whose gradient reaches every weight, kept or not.
#pragma once

#include <ATen/ATen.h>

namespace spikenm::sparsity {

// The value is W * keep, exactly (w - w and w + 0 round nothing); dL/dW = dL/dW_eff.
inline at::Tensor straight_through(const at::Tensor& weight, const at::Tensor& keep) {
  return weight + (weight * keep - weight).detach();
}

}  // namespace spikenm::sparsity
