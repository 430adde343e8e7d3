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

std::vector<at::Tensor> largest_of_all(const std::vector<at::Tensor>& scores, int64_t n) {
  const at::NoGradGuard no_grad;
  const double bound = bound_above(scores, n);
  std::vector<at::Tensor> masks;
  int64_t left = n;  // places for scores that equal the bound
  for (const at::Tensor& score : scores) {
    masks.push_back(score.detach().gt(bound));
    left -= masks.back().sum().item<int64_t>();
  }
  for (size_t i = 0; i < scores.size(); ++i) {
    const at::Tensor equal = scores[i].detach().eq(bound);
    const at::Tensor rank = equal.flatten().cumsum(0).view(equal.sizes());  // from 1
    const at::Tensor taken = equal.logical_and(rank.le(left));
    left -= taken.sum().item<int64_t>();
    masks[i] = masks[i].logical_or(taken).to(at::kByte);
  }
  return masks;
}

}  // namespace spikenm::sparsity
