// A weight that a layer uses in another form, whose gradient reaches every weight as it is.
#pragma once

#include <ATen/ATen.h>

namespace spikenm::sparsity {

// The value is W * keep, exactly (w - w and w + 0 round nothing); dL/dW = dL/dW_eff.
inline at::Tensor straight_through(const at::Tensor& weight, const at::Tensor& keep) {
  return weight + (weight * keep - weight).detach();
}

// The value is `used`, exactly; dL/dW = dL/dW_eff.
inline at::Tensor used_in_place_of(const at::Tensor& weight, const at::Tensor& used) {
  return used.detach() + (weight - weight.detach());
}

}  // namespace spikenm::sparsity
