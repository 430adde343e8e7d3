#include "spikenm/ops/tensor_args.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <mutex>

namespace spikenm::ops {

Tensor checked(const Tensor& t, std::string_view what) {
  SPIKENM_CHECK(t.defined(), "{}: found no tensor", what);
  SPIKENM_CHECK(t.is_cpu() || t.is_cuda(), "{}: found a tensor on {}, wanted the cpu or cuda", what,
                t.device().str());
  SPIKENM_CHECK(t.scalar_type() == at::kFloat || (t.scalar_type() == at::kDouble && t.is_cpu()),
                "{}: found type {} on {}, wanted float, or double on the cpu", what,
                at::toString(t.scalar_type()), t.device().str());
  return t.contiguous();
}

Tensor channels_last(const Tensor& x) {
  if (x.dim() != 5) return x.contiguous();
  return x.flatten(0, 1)
      .contiguous(at::MemoryFormat::ChannelsLast)
      .unflatten(0, {x.size(0), x.size(1)});
}

void use_threads(int n) {
  set_threads(n);
  keep_aten_single_threaded();
}

void keep_aten_single_threaded() {
  // Beyond repeatable sums: ATen sets its own count anew in each thread that first uses it, and
  // oneDNN would plan for that many inside one of our workers, where it gets one, and wait for
  // ever.
  static std::once_flag once;
  std::call_once(once, [] { at::set_num_threads(1); });
}

}  // namespace spikenm::ops
