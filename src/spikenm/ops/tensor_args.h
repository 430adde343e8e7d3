// The border between tensors and raw pointers: shape, type and layout are checked here, so that
// kernels may assume them.
#pragma once

#include "spikenm/kernels/real.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <string_view>

namespace spikenm::ops {

using at::Tensor;

// An Error that begins with `what`, unless t is of float, on the CPU or a GPU, or of double on the
// CPU.
void check_real(const Tensor& t, std::string_view what);
// The tensor itself, checked and contiguous.
Tensor checked(const Tensor& t, std::string_view what);

// x [T,B,C,H,W] with memory in the order T,B,H,W,C, which GPUs want; [T,B,C] contiguous. A copy
// only where x lies otherwise.
Tensor channels_last(const Tensor& x);
// Memory for activations [T,B,...] in that order.
Tensor empty_channels_last(at::IntArrayRef sizes, const at::TensorOptions& options);

// The kernels' name of a GPU tensor's type.
kernels::Real real_of(const Tensor& t);

// Whether nobody else sees the tensor's memory, so that it may be overwritten.
bool owns_memory_alone(const Tensor& t);

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

// The second half of use_threads, for the calling thread; every op that ends in oneDNN calls it
// before, since oneDNN plans for as many threads as it sees.
void keep_aten_single_threaded();

// What a chunk of parallel_for that calls ATen begins with: the number of threads and the grad mode
// are each thread's own.
class AtenInChunk {
 public:
  AtenInChunk() { keep_aten_single_threaded(); }

 private:
  at::NoGradGuard no_grad_;
};

}  // namespace spikenm::ops
