#include "spikenm/train/optimizer.h"

#include "spikenm/core/parallel.h"
#include "spikenm/train/optimizer_keys.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

namespace spikenm::train {
namespace {

constexpr int64_t kGrain = int64_t{1} << 14;

}  // namespace

OptimizerOptions read_optimizer_options(const Config& config) {
  OptimizerOptions o;
  o.kind = static_cast<OptimizerKind>(kOptimizer.read(config));

  if (o.kind == OptimizerKind::kSgd) {
    o.momentum = kMomentum.read(config, o.momentum);
    o.nesterov = kNesterov.read(config, o.nesterov);
    if (o.momentum == 0) config.no_effect("nesterov", {"momentum"});
    for (const char* key : {"beta1", "beta2", "eps"}) config.no_effect(key, {"optimizer"});
  } else {
    for (const char* key : {"momentum", "nesterov"}) config.no_effect(key, {"optimizer"});
    o.beta1 = kBeta1.read(config, o.beta1);
    o.beta2 = kBeta2.read(config, o.beta2);
    o.eps = kEps.read(config, o.eps);
  }
  o.weight_decay = kWeightDecay.read(config, o.weight_decay);
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

}  // namespace spikenm::train
