#include "spikenm/nn/optimizer.h"

#include "spikenm/core/parallel.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

namespace spikenm::nn {
namespace {

constexpr int64_t kGrain = int64_t{1} << 14;

}  // namespace

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

  const ops::StepGuard* guard = nullptr;
  if (skip.defined()) {
    // A guard counts the steps that it sees, so it must see all of them.
    SPIKENM_ASSERT(!guard_.is_new() || steps_ == 1);
    ops::set_guard(skip, adam(lr), guard_);
    guard = &guard_;
  }

  if (options_.kind == OptimizerKind::kSgd) {
    ops::sgd_step(tensors_to_step(), sgd(lr), guard);
  } else {
    ops::adam_step(tensors_to_step(), adam(lr), guard);
  }
}

std::vector<ops::StepTensors> Optimizer::tensors_to_step() const {
  std::vector<ops::StepTensors> list;
  for (const Slot& slot : slots_) {
    const at::Tensor& gradient = slot.parameter.grad();
    if (!gradient.defined()) continue;
    list.push_back({.parameter = slot.parameter,
                    .gradient = gradient.contiguous(),
                    .first = slot.first,
                    .second = slot.second});
  }
  return list;
}

ops::SgdRule Optimizer::sgd(double lr) const {
  return {.lr = lr,
          .momentum = options_.momentum,
          .nesterov = options_.nesterov,
          .weight_decay = options_.weight_decay};
}

ops::AdamRule Optimizer::adam(double lr) const {
  return {.lr = lr,
          .beta1 = options_.beta1,
          .beta2 = options_.beta2,
          .eps = options_.eps,
          .weight_decay = options_.weight_decay,
          .decoupled = options_.kind == OptimizerKind::kAdamW,
          .step = steps_};
}

void Optimizer::clear_moments(const at::Tensor& parameter, const at::Tensor& keep) {
  const at::NoGradGuard no_grad;
  for (Slot& slot : slots_) {
    if (!slot.parameter.is_same(parameter)) continue;
    slot.first.mul_(keep);
    if (slot.second.defined()) slot.second.mul_(keep);
  }
}

// The factor stays on the GPU, so that the host does not wait for it.
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

void Optimizer::visit_state(StateVisitor& visitor) {
  visitor.value("steps", steps_);
  if (slots_.empty()) return;

  bool is_guarded = !guard_.is_new();
  visitor.value("is_guarded", is_guarded);
  if (is_guarded && guard_.is_new()) guard_ = ops::make_guard(slots_[0].parameter.device());
  if (is_guarded) visitor.tensor("guard", guard_.state);

  for (size_t i = 0; i < slots_.size(); ++i) {
    visitor.tensor(fmt::format("{}.first", i), slots_[i].first);
    if (slots_[i].second.defined()) visitor.tensor(fmt::format("{}.second", i), slots_[i].second);
  }
}

}  // namespace spikenm::nn
