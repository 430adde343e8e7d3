// One optimiser step over the elements of a parameter, in one pass.
#pragma once

#include <cstdint>
#include <span>

namespace spikenm::kernels {

// Decides where the gradients are whether a step is taken, so that nobody waits for them. A step
// that is not taken leaves everything as it was, and does not count in Adam's bias corrections.
struct StepGuard {
  int64_t taken = 0;  // steps, this one included
  bool skip = false;
  float rate = 0, correction = 1;  // as AdamStep's, for `taken` steps
};
struct GuardedStep {
  const float* skip = nullptr;  // where the gradients are: not 0, and the step is not taken
  double lr = 0, beta1 = 0.9, beta2 = 0.999;
};
// Before the steps that look at the guard.
void set_guard(const GuardedStep& step, StepGuard* guard);
void set_guard_cuda(const GuardedStep& step, StepGuard* guard, void* stream);

// Adam, or AdamW with `decay` 0 and `shrink` below 1. Bias corrections are folded into `rate` and
// `correction` by the caller.
struct AdamStep {
  int64_t n = 0;
  const float* gradient = nullptr;
  float *weight = nullptr, *mean = nullptr, *variance = nullptr;
  float beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f;
  float decay = 0;                   // added to the gradient, times the weight
  float shrink = 1;                  // factor of the weight
  float rate = 0;                    // lr / (1 - beta1^t)
  float correction = 1;              // 1 / sqrt(1 - beta2^t)
  const StepGuard* guard = nullptr;  // or null; its rate and correction hold instead
};

struct SgdStep {
  int64_t n = 0;
  const float* gradient = nullptr;
  float *weight = nullptr, *momentum = nullptr;
  float rate = 0, decay = 0, factor = 0.9f;
  bool nesterov = false;
  const StepGuard* guard = nullptr;  // or null
};

void adam_step(const AdamStep& args);
void sgd_step(const SgdStep& args);
// On a GPU many parameters take one launch.
void adam_steps_cuda(std::span<const AdamStep> steps, void* stream);
void sgd_steps_cuda(std::span<const SgdStep> steps, void* stream);

}  // namespace spikenm::kernels
