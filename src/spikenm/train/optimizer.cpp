#include "spikenm/train/optimizer.h"

#include "spikenm/core/parallel.h"
#include "spikenm/kernels/optimizer_step.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

namespace spikenm::train {
namespace {

constexpr int64_t kGrain = int64_t{1} << 14;

}  // namespace

OptimizerOptions read_optimizer_options(const Config& config) {
  OptimizerOptions o;
  o.kind =
      static_cast<OptimizerKind>(config.get_choice("optimizer", "adam", {"sgd", "adam", "adamw"}));
  if (o.kind == OptimizerKind::kSgd) {
    o.momentum = config.get_real("momentum", o.momentum, 0, 1);
    o.nesterov = config.get<bool>("nesterov", o.nesterov);
  } else {
    o.beta1 = config.get_real("beta1", o.beta1, 0, 1);
    o.beta2 = config.get_real("beta2", o.beta2, 0, 1);
    o.eps = config.get_real("eps", o.eps, 0);
  }
  o.weight_decay = config.get_real("weight_decay", o.weight_decay, 0);
  return o;
}

Optimizer::Optimizer(std::vector<at::Tensor> parameters, const OptimizerOptions& options)
    : options_(options) {
  for (at::Tensor& p : parameters) {
    SPIKENM_ASSERT(p.scalar_type() == at::kFloat && p.is_contiguous());
    Slot slot{
        .parameter = p, .first = at::zeros_like(p, at::MemoryFormat::Contiguous), .second = {}};
    if (options.kind != OptimizerKind::kSgd) slot.second = at::zeros_like(slot.first);
    slots_.push_back(std::move(slot));
  }
}

void Optimizer::zero_grad() {
  for (Slot& slot : slots_) slot.parameter.mutable_grad() = at::Tensor();
}

void Optimizer::step(double lr) {
  const at::NoGradGuard no_grad;
  ++steps_;
  for (Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    if (options_.kind == OptimizerKind::kSgd) {
      step_sgd(slot, lr);
    } else {
      step_adam(slot, lr);
    }
  }
}

void Optimizer::step_sgd(Slot& slot, double lr) {
  const at::Tensor grad = slot.parameter.grad().contiguous();
  const kernels::SgdStep args{.n = slot.parameter.numel(),
                              .gradient = grad.const_data_ptr<float>(),
                              .weight = slot.parameter.mutable_data_ptr<float>(),
                              .momentum = slot.first.mutable_data_ptr<float>(),
                              .rate = static_cast<float>(lr),
                              .decay = static_cast<float>(options_.weight_decay),
                              .factor = static_cast<float>(options_.momentum),
                              .nesterov = options_.nesterov};
  if (grad.is_cuda()) {
    kernels::sgd_step_cuda(args, ops::current_stream());
  } else {
    kernels::sgd_step(args);
  }
}

void Optimizer::step_adam(Slot& slot, double lr) {
  const at::Tensor grad = slot.parameter.grad().contiguous();
  const double n = static_cast<double>(steps_);
  const bool decoupled = options_.kind == OptimizerKind::kAdamW;
  const kernels::AdamStep args{
      .n = slot.parameter.numel(),
      .gradient = grad.const_data_ptr<float>(),
      .weight = slot.parameter.mutable_data_ptr<float>(),
      .mean = slot.first.mutable_data_ptr<float>(),
      .variance = slot.second.mutable_data_ptr<float>(),
      .beta1 = static_cast<float>(options_.beta1),
      .beta2 = static_cast<float>(options_.beta2),
      .eps = static_cast<float>(options_.eps),
      .decay = static_cast<float>(decoupled ? 0 : options_.weight_decay),
      .shrink = static_cast<float>(decoupled ? 1 - lr * options_.weight_decay : 1),
      .rate = static_cast<float>(lr / (1 - std::pow(options_.beta1, n))),
      .correction = static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, n)))};
  if (grad.is_cuda()) {
    kernels::adam_step_cuda(args, ops::current_stream());
  } else {
    kernels::adam_step(args);
  }
}

void Optimizer::clear_moments(const at::Tensor& parameter, const at::Tensor& keep) {
  const at::NoGradGuard no_grad;
  for (Slot& slot : slots_) {
    if (!slot.parameter.is_same(parameter)) continue;
    slot.first.mul_(keep);
    if (slot.second.defined()) slot.second.mul_(keep);
  }
}

double Optimizer::gradient_norm() const {
  double sum = 0;
  for (const Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    const at::Tensor grad = slot.parameter.grad().contiguous().cpu();
    const float* const g = grad.const_data_ptr<float>();
    sum += parallel_sum(grad.numel(), kGrain, [&](int64_t begin, int64_t end) {
      double part = 0;
      for (int64_t i = begin; i < end; ++i) part += static_cast<double>(g[i]) * g[i];
      return part;
    });
  }
  return std::sqrt(sum);
}

void Optimizer::scale_gradients(double factor) {
  const at::NoGradGuard no_grad;
  for (Slot& slot : slots_) {
    if (slot.parameter.grad().defined()) slot.parameter.mutable_grad().mul_(factor);
  }
}

}  // namespace spikenm::train
