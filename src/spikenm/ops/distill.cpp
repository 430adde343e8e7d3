#include "spikenm/ops/distill.h"

#include "spikenm/core/parallel.h"
#include "spikenm/ops/distill_args.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <type_traits>

namespace spikenm::ops {
namespace {

bool needs_layer_mean(const CreditTarget& target) {
  return target.credit_scale == nm::CreditScale::kLayerMean && !target.is_uniform();
}

// The sum of all values, in a fixed order on the CPU.
template <class T>
double sum_of(const Tensor& t) {
  if (t.is_cuda()) return t.sum(at::kDouble).item<double>();
  const T* const values = t.const_data_ptr<T>();
  return parallel_sum(t.numel(), 1 << 15, [&](int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += static_cast<double>(values[i]);
    return sum;
  });
}

// What the target is made of, in the weight's shape.
Tensor credits_of(const Distillation& distillation, const Tensor& weight) {
  const Tensor& credit = distillation.credit->credit;
  return distillation.target.kind == TargetKind::kCreditWeight ? credit * weight.abs() : credit;
}

// The mean that a block's credits are compared with. Weight blocks that share a mask have one credit
// per position, their sum.
template <class T>
double layer_mean(const Tensor& credit, const nm::BlockLayout& layout) {
  const int64_t groups = (layout.n_channels + layout.share - 1) / layout.share;
  return sum_of<T>(credit) /
         static_cast<double>(layout.numel / (layout.n_channels * layout.taps) * groups);
}

}  // namespace

void distill(const Distillation& distillation, const DrawRule& rule, const Tensor& logits,
             const Tensor& weight) {
  const at::NoGradGuard no_grad;
  if (!logits.grad().defined()) const_cast<Tensor&>(logits).mutable_grad() = at::zeros_like(logits);
  const DistillationSums& sums = distillation.sums;

  dispatch_real(logits, [&](auto zero) {
    using T = decltype(zero);
    const double mean = needs_layer_mean(distillation.target)
                            ? layer_mean<T>(credits_of(distillation, weight), rule.layout)
                            : 0.0;
    const auto args = distillation_args<T>(distillation, rule, logits, weight, mean, logits.grad());
    if constexpr (std::is_same_v<T, float>) {
      if (logits.is_cuda()) {
        kernels::nm_distill_cuda(args, data<float>(sums.kl), data<float>(sums.squared_norm),
                                 current_stream());
        return;
      }
    }
    const kernels::DistillSums found = kernels::nm_distill<T>(args);
    sums.kl.add_(found.kl);
    sums.squared_norm.add_(found.squared_norm);
  });
}

bool distills_in_backward(const CreditTarget& target, const Tensor& logits) {
  return logits.is_cuda() && target.credit_scale != nm::CreditScale::kLayerMean;
}

}  // namespace spikenm::ops
