#include "spikenm/ops/constant_input.h"

#include <ATen/ATen.h>

#include <vector>

namespace spikenm::ops {

Tensor at_all_steps(const Tensor& x, int64_t steps) {
  if (steps == 1 || x.dim() == 0 || x.size(0) != 1) return x;
  std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), -1);
  sizes[0] = steps;
  return x.expand(sizes);
}

}  // namespace spikenm::ops
