#include "spikenm/sparsity/credit.h"

#include "spikenm/core/parallel.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <type_traits>

namespace spikenm::sparsity {
namespace {

// The sum of all values, in a fixed order on the CPU.
template <class T>
double sum_of(const at::Tensor& t) {
  if (t.is_cuda()) return t.sum(at::kDouble).item<double>();
  const T* const values = t.const_data_ptr<T>();
  return parallel_sum(t.numel(), 1 << 15, [&](int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += static_cast<double>(values[i]);
    return sum;
  });
}

// How many credits a block's are compared with: sharing channels have one, their sum.
double summed_credits(const nm::BlockLayout& layout) {
  const int64_t groups = (layout.n_channels + layout.share - 1) / layout.share;
  return static_cast<double>(layout.numel / layout.n_channels * groups);
}

template <class T>
kernels::Distillation<T> arguments(const Distillation& options, const ops::MaskDraw& draw,
                                   const at::Tensor& logits, const at::Tensor& weight,
                                   const at::Tensor& credit, int64_t n_blocks,
                                   const at::Tensor& gradient) {
  const bool needs_mean = options.credit_scale == kernels::CreditScale::kLayerMean;
  const double total = needs_mean && !options.uniform_target ? sum_of<T>(credit) : 0;
  const double divisor = options.mean_over_blocks ? static_cast<double>(n_blocks) : 1.0;
  return {.draw = {.layout = draw.layout,
                   .logits = ops::data<T>(logits),
                   .weight = ops::data<T>(weight),
                   .kappa = static_cast<T>(draw.kappa)},
          .credit = options.uniform_target ? nullptr : ops::data<T>(credit),
          .credit_scale = options.credit_scale,
          .layer_mean = static_cast<T>(total / summed_credits(draw.layout)),
          .tau_q = static_cast<T>(options.tau_q),
          .scale = static_cast<T>(options.lambda / divisor),
          .grad_logits = ops::data<T>(gradient)};
}

}  // namespace

kernels::Distillation<float> distillation_arguments(const Distillation& options,
                                                    const ops::MaskDraw& draw,
                                                    const at::Tensor& logits,
                                                    const at::Tensor& weight,
                                                    const at::Tensor& credit, int64_t n_blocks,
                                                    const at::Tensor& gradient) {
  return arguments<float>(options, draw, logits, weight, credit, n_blocks, gradient);
}

void distill(const Distillation& options, const ops::MaskDraw& draw, const at::Tensor& logits,
             const at::Tensor& weight, const at::Tensor& credit, int64_t n_blocks,
             DistillationSums& sums) {
  const at::NoGradGuard no_grad;
  if (!logits.grad().defined())
    const_cast<at::Tensor&>(logits).mutable_grad() = at::zeros_like(logits);
  ops::dispatch_real(logits, [&](auto zero) {
    using T = decltype(zero);
    const auto args = arguments<T>(options, draw, logits, weight, credit, n_blocks, logits.grad());
    if constexpr (std::is_same_v<T, float>) {
      if (logits.is_cuda()) {
        kernels::nm_distill_cuda(args, ops::data<float>(sums.kl),
                                 ops::data<float>(sums.squared_norm), ops::current_stream());
        return;
      }
    }
    const kernels::DistillSums found = kernels::nm_distill<T>(args);
    sums.kl.add_(found.kl);
    sums.squared_norm.add_(found.squared_norm);
  });
}

}  // namespace spikenm::sparsity
