// The border between tensors and raw pointers: shape, type and layout are checked here, so that
// kernels may assume them.
#pragma once

#include "spikenm/kernels/real.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <string_view>

namespace spikenm::ops {

using at::Tensor;

// Throws an Error that begins with `what`, unless t is float on the CPU or a GPU, or double on the
// CPU.
void check_real(const Tensor& t, std::string_view what);
// Returns t, checked and contiguous.
Tensor checked(const Tensor& t, std::string_view what);

// x [T,B,C,H,W] with memory in the order T,B,H,W,C, which GPUs need; [T,B,C] contiguous. Copies
// only if x has another order.
Tensor channels_last(const Tensor& x);
// Memory for activations [T,B,...] in that order.
Tensor empty_channels_last(at::IntArrayRef sizes, const at::TensorOptions& options);

// The kernels' name for the type of a GPU tensor.
kernels::Real real_of(const Tensor& t);

// Whether no other tensor shares this memory, so that it may be overwritten.
bool owns_memory_alone(const Tensor& t);

// The data pointer of a tensor that checked() returned.
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

// Uses n threads for our kernels and one for ATen: ATen cuts its reductions by the number of
// threads, so their sums would depend on it. Heavy work is cut by size in this folder and runs on
// our threads.
void use_threads(int n);

// The second half of use_threads, for the calling thread. Every op that ends in oneDNN calls it
// first, since oneDNN plans for as many threads as it sees.
void keep_aten_single_threaded();

// A chunk of parallel_for that calls ATen begins with this: the number of threads and the grad mode
// belong to each thread.
class AtenInChunk {
 public:
  AtenInChunk() { keep_aten_single_threaded(); }

 private:
  at::NoGradGuard no_grad_;
};

}  // namespace spikenm::ops
