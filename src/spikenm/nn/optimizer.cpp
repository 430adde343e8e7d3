#include "spikenm/nn/optimizer.h"

#include "spikenm/ops/clip_gradients.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::nn {

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
    // A guard counts the steps that it sees; those before it were taken without one.
    if (guard_.is_new()) guard_ = ops::make_guard(skip.device(), steps_ - 1);
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

void Optimizer::clip_gradients(double limit) {
  std::vector<at::Tensor> gradients;
  for (const Slot& slot : slots_)
    if (slot.parameter.grad().defined()) gradients.push_back(slot.parameter.grad());
  ops::clip_gradients(gradients, limit);
}

void Optimizer::visit_state(StateVisitor& visitor) {
  visitor.value("steps", steps_);
  if (slots_.empty()) return;

  bool is_guarded = !guard_.is_new();
  visitor.value("is_guarded", is_guarded);
  if (is_guarded && guard_.is_new())
    guard_ = ops::make_guard(slots_[0].parameter.device(), /*taken=*/0);
  if (is_guarded) visitor.tensor("guard", guard_.state);

  for (size_t i = 0; i < slots_.size(); ++i) {
    visitor.tensor(fmt::format("{}.first", i), slots_[i].first);
    if (slots_[i].second.defined()) visitor.tensor(fmt::format("{}.second", i), slots_[i].second);
  }
}

}  // namespace spikenm::nn
