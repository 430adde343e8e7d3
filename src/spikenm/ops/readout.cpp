#include "spikenm/ops/readout.h"

#include <ATen/ATen.h>

namespace spikenm::ops {

Tensor vote(const Tensor& x, int64_t voters) {
  if (voters == 1) return x;
  const Tensor votes = x.unflatten(2, {x.size(2) / voters, voters});
  // In float: tenths are not exact in 16 bits.
  return x.is_cuda() ? votes.mean(3, /*keepdim=*/false, at::kFloat) : votes.mean(3);
}

Tensor global_average(const Tensor& x) {
  return x.mean({3, 4});
}

Tensor exact(const Tensor& x) {
  return x.is_cuda() ? x.to(at::kFloat) : x;
}

}  // namespace spikenm::ops
