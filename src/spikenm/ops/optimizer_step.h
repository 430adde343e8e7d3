// One optimiser step over many parameters. Parameters on a GPU share one launch; those on the CPU
// are updated one after another, each in one pass over its memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace spikenm::ops {

// The memory of one parameter's step: float tensors of one size, each contiguous.
struct StepTensors {
  at::Tensor parameter, gradient;
  at::Tensor first, second;  // momentum; or mean and uncentred variance of the gradient
};

// SGD as PyTorch defines it.
struct SgdRule {
  double lr = 0, momentum = 0.9;
  bool nesterov = false;
  double weight_decay = 0;
};

// Adam and AdamW as PyTorch defines them.
struct AdamRule {
  double lr = 0, beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  double weight_decay = 0;
  bool decoupled = false;  // AdamW: the decay shrinks the weight and does not touch the gradient
  int64_t step = 1;        // this step's number, from 1; a guard keeps its own count
};

// Decides on the parameters' device whether a step is taken, so that the host does not wait for the
// answer. A step that is not taken changes nothing, and Adam's bias corrections do not count it.
struct StepGuard {
  at::Tensor state;  // a kernel's struct as bytes, made by make_guard

  [[nodiscard]] bool is_new() const { return !state.defined(); }
};

// A guard after `taken` steps that it did not see.
StepGuard make_guard(const at::Device& device, int64_t taken);

// Prepares a step that must not be taken if `skip` ([1] float) is not 0. Only lr and the betas of
// the rule are read, and for SGD none of them.
void set_guard(const at::Tensor& skip, const AdamRule& rule, StepGuard& guard);

// `guard` must have been set for this step; null: the step is taken.
void sgd_step(std::span<const StepTensors> parameters, const SgdRule& rule, const StepGuard* guard);
void adam_step(std::span<const StepTensors> parameters, const AdamRule& rule,
               const StepGuard* guard);

}  // namespace spikenm::ops
