// The products of synapse by torch's operations, on rows [T*B,...].
#pragma once

#include "spikenm/ops/synapse.h"

#include <ATen/ATen.h>

namespace spikenm::ops {

// [T,B,...] -> [T*B,...]: time is outermost, so the fold is a view.
inline Tensor fold(const Tensor& x) {
  return x.flatten(0, 1);
}

// [T*B,...] -> [T,B,...], with the T and B of `like`.
inline Tensor unfold(const Tensor& rows, const Tensor& like) {
  return rows.unflatten(0, {like.size(0), like.size(1)});
}

inline Tensor forward_rows(const Tensor& x, const Tensor& w, const SynapseGeometry& g) {
  if (x.dim() == 2) return at::mm(x, w.flatten(1).t());
  return at::conv2d(x, w, {}, g.stride, g.padding);
}

inline Tensor grad_weight_rows(const Tensor& grad, const Tensor& x, const Tensor& w,
                               const SynapseGeometry& g) {
  if (x.dim() == 2) return at::mm(grad.t(), x).view(w.sizes());
  return std::get<1>(at::convolution_backward(grad, x, w, at::nullopt, {g.stride, g.stride},
                                              {g.padding, g.padding}, {1, 1}, false, {0, 0}, 1,
                                              {false, true, false}));
}

}  // namespace spikenm::ops
