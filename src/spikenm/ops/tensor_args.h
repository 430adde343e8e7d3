// The border between tensors and raw pointers: shape, type and layout are checked here, so that
// kernels may assume them.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

namespace spikenm::ops {

using at::Tensor;

// A contiguous tensor of float, on the CPU or a GPU, or of double on the CPU; an Error that begins
// with `what` otherwise.
Tensor checked(const Tensor& t, std::string_view what);

// x [T,B,C,H,W] with memory in the order T,B,H,W,C, which GPUs want; [T,B,C] contiguous. A copy
// only where x lies otherwise.
Tensor channels_last(const Tensor& x);

// The data pointer of a tensor that checked() gave.
template <class T>
T* data(const Tensor& t) {
  return t.mutable_data_ptr<T>();
}

// Calls body(T{}) with T the tensor's scalar type, float or double.
template <class Body>
auto dispatch_real(const Tensor& t, Body&& body) {
  if (t.scalar_type() == at::kDouble) return body(double{});
  return body(float{});
}

// Uses n threads for our own kernels and one for ATen's: its reductions are cut by the number of
// threads, so their sums would depend on it. Heavy work is cut by size in this folder and run on
// our threads.
void use_threads(int n);

// The second half of use_threads, once; every op that runs ATen inside our threads calls it.
void keep_aten_single_threaded();

}  // namespace spikenm::ops
