#include "spikenm/ops/optimizer_step.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/optimizer_step.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace spikenm::ops {
namespace {

const kernels::StepGuard* pointer_of(const StepGuard* guard) {
  if (guard == nullptr) return nullptr;
  SPIKENM_ASSERT(!guard->is_new());
  return static_cast<const kernels::StepGuard*>(guard->state.const_data_ptr());
}

void check_tensors(const StepTensors& t) {
  for (const at::Tensor* each : {&t.parameter, &t.gradient, &t.first, &t.second}) {
    if (!each->defined()) continue;
    SPIKENM_ASSERT(each->scalar_type() == at::kFloat && each->is_contiguous() &&
                   each->numel() == t.parameter.numel());
  }
}

// Calls `on_cpu` once per parameter on the CPU, and `on_gpu` once for all others.
template <class Step, class MakeStep>
void step_all(std::span<const StepTensors> parameters, MakeStep&& make_step,
              void (*on_cpu)(const Step&), void (*on_gpu)(std::span<const Step>, void* stream)) {
  std::vector<Step> launched;
  for (const StepTensors& tensors : parameters) {
    check_tensors(tensors);
    const Step step = make_step(tensors);
    if (tensors.parameter.is_cuda()) {
      launched.push_back(step);
    } else {
      on_cpu(step);
    }
  }
  if (!launched.empty()) on_gpu(launched, current_stream());
}

}  // namespace

StepGuard make_guard(const at::Device& device, int64_t taken) {
  using Guard = kernels::StepGuard;
  static_assert(offsetof(Guard, taken) == 0 && sizeof(Guard::taken) == sizeof(int64_t));
  // Filled where it lies: the host would wait for a copy to a GPU.
  const at::Tensor state =
      at::zeros({static_cast<int64_t>(sizeof(Guard))}, at::TensorOptions(device).dtype(at::kByte));
  state.narrow(0, 0, sizeof(int64_t)).view(at::kLong).fill_(taken);
  return {.state = state};
}

void set_guard(const at::Tensor& skip, const AdamRule& rule, StepGuard& guard) {
  auto* const state = static_cast<kernels::StepGuard*>(guard.state.mutable_data_ptr());
  const kernels::GuardedStep step{.skip = skip.const_data_ptr<float>(),
                                  .lr = rule.lr,
                                  .beta1 = rule.beta1,
                                  .beta2 = rule.beta2};

  if (skip.is_cuda()) {
    kernels::set_guard_cuda(step, state, current_stream());
  } else {
    kernels::set_guard(step, state);
  }
}

void sgd_step(std::span<const StepTensors> parameters, const SgdRule& rule,
              const StepGuard* guard) {
  const auto make_step = [&](const StepTensors& t) {
    return kernels::SgdStep{.n = t.parameter.numel(),
                            .gradient = t.gradient.const_data_ptr<float>(),
                            .weight = t.parameter.mutable_data_ptr<float>(),
                            .momentum = t.first.mutable_data_ptr<float>(),
                            .rate = static_cast<float>(rule.lr),
                            .decay = static_cast<float>(rule.weight_decay),
                            .factor = static_cast<float>(rule.momentum),
                            .nesterov = rule.nesterov,
                            .guard = pointer_of(guard)};
  };
  step_all<kernels::SgdStep>(parameters, make_step, kernels::sgd_step, kernels::sgd_steps_cuda);
}

void adam_step(std::span<const StepTensors> parameters, const AdamRule& rule,
               const StepGuard* guard) {
  const double n = static_cast<double>(rule.step);
  const auto make_step = [&](const StepTensors& t) {
    return kernels::AdamStep{
        .n = t.parameter.numel(),
        .gradient = t.gradient.const_data_ptr<float>(),
        .weight = t.parameter.mutable_data_ptr<float>(),
        .mean = t.first.mutable_data_ptr<float>(),
        .variance = t.second.mutable_data_ptr<float>(),
        .beta1 = static_cast<float>(rule.beta1),
        .beta2 = static_cast<float>(rule.beta2),
        .eps = static_cast<float>(rule.eps),
        .decay = static_cast<float>(rule.decoupled ? 0 : rule.weight_decay),
        .shrink = static_cast<float>(rule.decoupled ? 1 - rule.lr * rule.weight_decay : 1),
        .rate = static_cast<float>(rule.lr / (1 - std::pow(rule.beta1, n))),
        .correction = static_cast<float>(1 / std::sqrt(1 - std::pow(rule.beta2, n))),
        .guard = pointer_of(guard)};
  };
  step_all<kernels::AdamStep>(parameters, make_step, kernels::adam_step, kernels::adam_steps_cuda);
}

}  // namespace spikenm::ops
