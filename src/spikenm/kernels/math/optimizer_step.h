// Adam and SGD for one element, as PyTorch defines them, and the guard of a step.
#pragma once

#include "spikenm/kernels/math/value.h"
#include "spikenm/kernels/optimizer_step.h"

#include <cmath>

namespace spikenm::kernels {

SPIKENM_HD void next_guard(const GuardedStep& step, StepGuard& guard) {
  guard.skip = *step.skip != 0;
  if (guard.skip) return;
  const auto t = static_cast<double>(++guard.taken);
  guard.rate = static_cast<float>(step.lr / (1 - pow(step.beta1, t)));
  guard.correction = static_cast<float>(1 / sqrt(1 - pow(step.beta2, t)));
}

// Whether the step is taken. An Adam step receives the guard's rate and correction.
SPIKENM_HD bool passes_guard(AdamStep& a) {
  if (a.guard == nullptr) return true;
  a.rate = a.guard->rate;
  a.correction = a.guard->correction;
  return !a.guard->skip;
}
SPIKENM_HD bool passes_guard(const SgdStep& a) {
  return a.guard == nullptr || !a.guard->skip;
}

SPIKENM_HD void adam_element(const AdamStep& a, int64_t i) {
  const float weight = a.weight[i], gradient = a.gradient[i] + a.decay * weight;
  const float mean = a.beta1 * a.mean[i] + (1 - a.beta1) * gradient;
  const float variance = a.beta2 * a.variance[i] + (1 - a.beta2) * gradient * gradient;
  a.mean[i] = mean;
  a.variance[i] = variance;
  a.weight[i] = a.shrink * weight - a.rate * mean / (square_root(variance) * a.correction + a.eps);
}

SPIKENM_HD void sgd_element(const SgdStep& a, int64_t i) {
  const float weight = a.weight[i], gradient = a.gradient[i] + a.decay * weight;
  const float momentum = a.factor * a.momentum[i] + gradient;
  a.momentum[i] = momentum;
  a.weight[i] = weight - a.rate * (a.nesterov ? gradient + a.factor * momentum : momentum);
}

}  // namespace spikenm::kernels
