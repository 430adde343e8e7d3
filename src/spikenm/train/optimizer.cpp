#include "spikenm/train/optimizer.h"

#include "spikenm/core/parallel.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <span>

namespace spikenm::train {
namespace {

constexpr int64_t kGrain = int64_t{1} << 14;

void take_step(const kernels::AdamStep& step) {
  kernels::adam_step(step);
}
void take_step(const kernels::SgdStep& step) {
  kernels::sgd_step(step);
}
void take_steps_on_gpu(std::span<const kernels::AdamStep> steps) {
  kernels::adam_steps_cuda(steps, ops::current_stream());
}
void take_steps_on_gpu(std::span<const kernels::SgdStep> steps) {
  kernels::sgd_steps_cuda(steps, ops::current_stream());
}

}  // namespace

OptimizerOptions read_optimizer_options(const Config& config) {
  OptimizerOptions o;
  o.kind =
      static_cast<OptimizerKind>(config.get_choice("optimizer", "adam", {"sgd", "adam", "adamw"}));
  if (o.kind == OptimizerKind::kSgd) {
    o.momentum = config.get_real("momentum", o.momentum, 0, 1);
    o.nesterov = config.get<bool>("nesterov", o.nesterov);
    if (o.momentum == 0) config.no_effect("nesterov", {"momentum"});
    for (const char* key : {"beta1", "beta2", "eps"}) config.no_effect(key, {"optimizer"});
  } else {
    for (const char* key : {"momentum", "nesterov"}) config.no_effect(key, {"optimizer"});
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

void Optimizer::step(double lr, const at::Tensor& skip) {
  const at::NoGradGuard no_grad;
  ++steps_;
  const kernels::StepGuard* const guard = guard_step(lr, skip);
  const auto guarded = [&](auto step) {
    step.guard = guard;
    return step;
  };
  if (options_.kind == OptimizerKind::kSgd) {
    step_all<kernels::SgdStep>(
        [&](const Slot& s, const at::Tensor& g) { return guarded(sgd(s, g, lr)); });
  } else {
    step_all<kernels::AdamStep>(
        [&](const Slot& s, const at::Tensor& g) { return guarded(adam(s, g, lr)); });
  }
}

const kernels::StepGuard* Optimizer::guard_step(double lr, const at::Tensor& skip) {
  if (!skip.defined()) return nullptr;
  if (!guard_.defined()) {
    // Zero bytes are a guard before its first step.
    SPIKENM_ASSERT(steps_ == 1);  // steps that were not guarded are not counted there
    guard_ = at::zeros({static_cast<int64_t>(sizeof(kernels::StepGuard))},
                       skip.options().dtype(at::kByte));
  }
  auto* const guard = reinterpret_cast<kernels::StepGuard*>(guard_.mutable_data_ptr());
  const kernels::GuardedStep step{.skip = skip.const_data_ptr<float>(),
                                  .lr = lr,
                                  .beta1 = options_.beta1,
                                  .beta2 = options_.beta2};
  if (skip.is_cuda()) {
    kernels::set_guard_cuda(step, guard, ops::current_stream());
  } else {
    kernels::set_guard(step, guard);
  }
  return guard;
}

// Parameters on a GPU are stepped together, the others one by one.
template <class Step, class MakeStep>
void Optimizer::step_all(MakeStep&& make_step) {
  std::vector<Step> on_gpu;
  std::vector<at::Tensor> gradients;  // alive until the launch
  for (const Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    gradients.push_back(slot.parameter.grad().contiguous());
    const Step step = make_step(slot, gradients.back());
    if (slot.parameter.is_cuda()) {
      on_gpu.push_back(step);
    } else {
      take_step(step);
    }
  }
  if (!on_gpu.empty()) take_steps_on_gpu(on_gpu);
}

kernels::SgdStep Optimizer::sgd(const Slot& slot, const at::Tensor& grad, double lr) const {
  return {.n = slot.parameter.numel(),
          .gradient = grad.const_data_ptr<float>(),
          .weight = slot.parameter.mutable_data_ptr<float>(),
          .momentum = slot.first.mutable_data_ptr<float>(),
          .rate = static_cast<float>(lr),
          .decay = static_cast<float>(options_.weight_decay),
          .factor = static_cast<float>(options_.momentum),
          .nesterov = options_.nesterov};
}

kernels::AdamStep Optimizer::adam(const Slot& slot, const at::Tensor& grad, double lr) const {
  const double n = static_cast<double>(steps_);
  const bool decoupled = options_.kind == OptimizerKind::kAdamW;
  return {.n = slot.parameter.numel(),
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
}

void Optimizer::clear_moments(const at::Tensor& parameter, const at::Tensor& keep) {
  const at::NoGradGuard no_grad;
  for (Slot& slot : slots_) {
    if (!slot.parameter.is_same(parameter)) continue;
    slot.first.mul_(keep);
    if (slot.second.defined()) slot.second.mul_(keep);
  }
}

// On a GPU the factor stays there: nobody waits for it.
void Optimizer::clip_on_gpu(double limit) {
  std::vector<at::Tensor> squares;
  for (const Slot& slot : slots_)
    if (slot.parameter.grad().defined())
      squares.push_back(slot.parameter.grad().square().sum(at::kDouble));
  const at::Tensor factor = (limit / at::stack(squares).sum().sqrt()).clamp_max(1).to(at::kFloat);
  for (Slot& slot : slots_)
    if (slot.parameter.grad().defined()) slot.parameter.mutable_grad().mul_(factor);
}

void Optimizer::clip_gradients(double limit) {
  const at::NoGradGuard no_grad;
  if (slots_.empty()) return;
  if (slots_[0].parameter.is_cuda()) return clip_on_gpu(limit);
  const double norm = gradient_norm();
  if (norm <= limit) return;
  for (Slot& slot : slots_)
    if (slot.parameter.grad().defined()) slot.parameter.mutable_grad().mul_(limit / norm);
}

double Optimizer::gradient_norm() const {
  double sum = 0;
  for (const Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    const at::Tensor grad = slot.parameter.grad().contiguous();
    const float* const g = grad.const_data_ptr<float>();
    sum += parallel_sum(grad.numel(), kGrain, [&](int64_t begin, int64_t end) {
      double part = 0;
      for (int64_t i = begin; i < end; ++i) part += static_cast<double>(g[i]) * g[i];
      return part;
    });
  }
  return std::sqrt(sum);
}

}  // namespace spikenm::train
