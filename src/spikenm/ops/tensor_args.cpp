#include "spikenm/ops/tensor_args.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"

#include <ATen/Parallel.h>

namespace spikenm::ops {

Tensor checked(const Tensor& t, std::string_view what) {
  SPIKENM_CHECK(t.defined(), "{}: found no tensor", what);
  SPIKENM_CHECK(t.device().is_cpu(), "{}: found a tensor on {}, wanted the cpu", what,
                t.device().str());
  SPIKENM_CHECK(t.scalar_type() == at::kFloat || t.scalar_type() == at::kDouble,
                "{}: found type {}, wanted float or double", what, at::toString(t.scalar_type()));
  return t.contiguous();
}

void use_threads(int n) {
  set_threads(n);
  at::set_num_threads(1);
}

}  // namespace spikenm::ops
