#include "spikenm/ops/pool.h"

#include "spikenm/core/error.h"

#include <ATen/ATen.h>

namespace spikenm::ops {

Tensor pool(const Tensor& x, PoolKind kind, int64_t size) {
  SPIKENM_CHECK(x.dim() == 5 && x.size(3) >= size && x.size(4) >= size,
                "pool: found an input smaller than the {}x{} window", size, size);
  const Tensor rows = x.flatten(0, 1);
  const Tensor pooled = kind == PoolKind::kAverage ? at::avg_pool2d(rows, {size, size})
                                                   : at::max_pool2d(rows, {size, size});
  return pooled.unflatten(0, {x.size(0), x.size(1)});
}

}  // namespace spikenm::ops
