// One optimiser step over the elements of a parameter, in one pass.
#pragma once

#include <cstdint>
#include <span>

namespace spikenm::kernels {

// Decides on the gradients' device whether a step is taken, so that the host does not wait for
// them. A step that is not taken changes nothing and does not count in Adam's bias corrections.
struct StepGuard {
  int64_t taken = 0;  // steps so far, this one included
  bool skip = false;
  float rate = 0, correction = 1;  // as in AdamStep, after `taken` steps
};
struct GuardedStep {
  const float* skip = nullptr;  // on the gradients' device; if not 0, the step is not taken
  double lr = 0, beta1 = 0.9, beta2 = 0.999;
};
// Must run before the steps that read the guard.
void set_guard(const GuardedStep& step, StepGuard* guard);
void set_guard_cuda(const GuardedStep& step, StepGuard* guard, void* stream);

// Adam, or AdamW if `decay` is 0 and `shrink` below 1. The caller folds the bias corrections into
// `rate` and `correction`.
struct AdamStep {
  int64_t n = 0;
  const float* gradient = nullptr;
  float *weight = nullptr, *mean = nullptr, *variance = nullptr;
  float beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f;
  float decay = 0;                   // decay * weight is added to the gradient
  float shrink = 1;                  // multiplies the weight
  float rate = 0;                    // lr / (1 - beta1^t)
  float correction = 1;              // 1 / sqrt(1 - beta2^t)
  const StepGuard* guard = nullptr;  // may be null; else its rate and correction are used
};

struct SgdStep {
  int64_t n = 0;
  const float* gradient = nullptr;
  float *weight = nullptr, *momentum = nullptr;
  float rate = 0, decay = 0, factor = 0.9f;
  bool nesterov = false;
  const StepGuard* guard = nullptr;  // may be null
};

void adam_step(const AdamStep& args);
void sgd_step(const SgdStep& args);
// On a GPU one launch takes many parameters.
void adam_steps_cuda(std::span<const AdamStep> steps, void* stream);
void sgd_steps_cuda(std::span<const SgdStep> steps, void* stream);

}  // namespace spikenm::kernels
