#include "spikenm/ops/tensor_args.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <mutex>

namespace spikenm::ops {

void check_real(const Tensor& t, std::string_view what) {
  SPIKENM_CHECK(t.defined(), "{}: found no tensor", what);
  SPIKENM_CHECK(t.is_cpu() || t.is_cuda(), "{}: found a tensor on {}, wanted the cpu or cuda", what,
                t.device().str());
  SPIKENM_CHECK(t.scalar_type() == at::kFloat || (t.scalar_type() == at::kDouble && t.is_cpu()),
                "{}: found type {} on {}, wanted float, or double on the cpu", what,
                at::toString(t.scalar_type()), t.device().str());
}

Tensor checked(const Tensor& t, std::string_view what) {
  check_real(t, what);
  return t.contiguous();
}

Tensor channels_last(const Tensor& x) {
  if (x.dim() != 5) return x.contiguous();
  return x.flatten(0, 1)
      .contiguous(at::MemoryFormat::ChannelsLast)
      .unflatten(0, {x.size(0), x.size(1)});
}

Tensor empty_channels_last(at::IntArrayRef sizes, const at::TensorOptions& options) {
  if (sizes.size() != 5) return at::empty(sizes, options);
  return at::empty({sizes[0] * sizes[1], sizes[2], sizes[3], sizes[4]}, options,
                   at::MemoryFormat::ChannelsLast)
      .unflatten(0, {sizes[0], sizes[1]});
}

kernels::Real real_of(const Tensor& t) {
  switch (t.scalar_type()) {
    case at::kBFloat16:
      return kernels::Real::kBfloat16;
    case at::kHalf:
      return kernels::Real::kHalf;
    default:
      return kernels::Real::kFloat;
  }
}

bool owns_memory_alone(const Tensor& t) {
  return t.use_count() == 1 && t.storage().use_count() == 1;
}

void use_threads(int n) {
  set_threads(n);
  keep_aten_single_threaded();
}

void keep_aten_single_threaded() {
  static std::once_flag once;
  std::call_once(once, [] { at::set_num_threads(1); });
  // OpenMP, MKL and oneDNN read a thread count that belongs to each thread and is at first the
  // number of cores. ATen sets it to the process's count when a thread first asks ATen; oneDNN does
  // not ask.
  thread_local const int here = at::get_num_threads();
  static_cast<void>(here);
}

}  // namespace spikenm::ops
