#include "spikenm/sparsity/ranking.h"

#include "spikenm/core/error.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::sparsity {

double bound_above(const std::vector<at::Tensor>& scores, int64_t n) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> flat;
  for (const at::Tensor& score : scores) flat.push_back(score.detach().flatten());
  const at::Tensor all = at::cat(flat);
  SPIKENM_ASSERT(n >= 0 && n <= all.numel());
  if (n == all.numel()) return all.min().item<double>() - 1;
  return std::get<0>(all.kthvalue(all.numel() - n)).item<double>();
}

at::Tensor largest_n(const at::Tensor& scores, int64_t n) {
  const at::NoGradGuard no_grad;
  const at::Tensor flat = scores.detach().flatten();
  const at::Tensor order =
      std::get<1>(flat.sort(/*stable=*/std::optional<bool>(true), 0, /*descending=*/true));
  return at::zeros_like(flat).index_fill_(0, order.narrow(0, 0, n), 1).view(scores.sizes());
}

}  // namespace spikenm::sparsity
