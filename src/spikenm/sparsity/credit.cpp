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

}  // namespace

at::Tensor squared_norm(const at::Tensor& t) {
  return t.detach().square().sum(at::kDouble);
}

DistillationResult distill(const Distillation& options, const ops::MaskDraw& draw,
                           const at::Tensor& logits, const at::Tensor& weight,
                           const at::Tensor& credit, int64_t n_blocks) {
  const at::NoGradGuard no_grad;
  at::Tensor gradient = at::zeros_like(logits);
  const double divisor = options.mean_over_blocks ? static_cast<double>(n_blocks) : 1.0;
  DistillationResult result;
  ops::dispatch_real(logits, [&](auto zero) {
    using T = decltype(zero);
    const bool needs_mean = options.credit_scale == kernels::CreditScale::kLayerMean;
    const double total = needs_mean && !options.uniform_target ? sum_of<T>(credit) : 0;
    const kernels::Distillation<T> args{
        .draw = {.layout = draw.layout,
                 .logits = ops::data<T>(logits),
                 .weight = ops::data<T>(weight),
                 .kappa = static_cast<T>(draw.kappa)},
        .credit = options.uniform_target ? nullptr : ops::data<T>(credit),
        .credit_scale = options.credit_scale,
        .layer_mean = static_cast<T>(total / static_cast<double>(weight.numel())),
        .tau_q = static_cast<T>(options.tau_q),
        .scale = static_cast<T>(options.lambda / divisor),
        .grad_logits = ops::data<T>(gradient)};
    if constexpr (std::is_same_v<T, float>) {
      if (logits.is_cuda()) {
        const at::Tensor kl = at::empty({draw.layout.n_blocks}, logits.options());
        kernels::nm_distill_cuda(args, ops::data<float>(kl), ops::current_stream());
        result.kl_sum = kl.sum(at::kDouble);
        return;
      }
    }
    result.kl_sum = at::scalar_tensor(kernels::nm_distill<T>(args), at::kDouble);
  });
  result.squared_norm = squared_norm(gradient);
  if (logits.grad().defined()) {
    logits.grad().add_(gradient);
  } else {
    const_cast<at::Tensor&>(logits).mutable_grad() = gradient;
  }
  return result;
}

}  // namespace spikenm::sparsity
