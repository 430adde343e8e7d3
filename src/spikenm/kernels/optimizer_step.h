// One optimiser step over the elements of a parameter, in one pass.
#pragma once

#include <cstdint>
#include <span>

namespace spikenm::kernels {

// Adam, or AdamW with `decay` 0 and `shrink` below 1. Bias corrections are folded into `rate` and
// `correction` by the caller.
struct AdamStep {
  int64_t n = 0;
  const float* gradient = nullptr;
  float *weight = nullptr, *mean = nullptr, *variance = nullptr;
  float beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f;
  float decay = 0;       // added to the gradient, times the weight
  float shrink = 1;      // factor of the weight
  float rate = 0;        // lr / (1 - beta1^t)
  float correction = 1;  // 1 / sqrt(1 - beta2^t)
};

struct SgdStep {
  int64_t n = 0;
  const float* gradient = nullptr;
  float *weight = nullptr, *momentum = nullptr;
  float rate = 0, decay = 0, factor = 0.9f;
  bool nesterov = false;
};

void adam_step(const AdamStep& args);
void sgd_step(const SgdStep& args);
// On a GPU many parameters take one launch.
void adam_steps_cuda(std::span<const AdamStep> steps, void* stream);
void sgd_steps_cuda(std::span<const SgdStep> steps, void* stream);

}  // namespace spikenm::kernels
