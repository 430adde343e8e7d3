// Adam and SGD of one element, as PyTorch defines them.
#pragma once

#include "spikenm/kernels/math/value.h"
#include "spikenm/kernels/optimizer_step.h"

namespace spikenm::kernels {

SPIKENM_HD void adam_element(const AdamStep& a, int64_t i) {
  const float gradient = a.gradient[i] + a.decay * a.weight[i];
  a.mean[i] = a.beta1 * a.mean[i] + (1 - a.beta1) * gradient;
  a.variance[i] = a.beta2 * a.variance[i] + (1 - a.beta2) * gradient * gradient;
  a.weight[i] = a.shrink * a.weight[i] -
                a.rate * a.mean[i] / (square_root(a.variance[i]) * a.correction + a.eps);
}

SPIKENM_HD void sgd_element(const SgdStep& a, int64_t i) {
  const float gradient = a.gradient[i] + a.decay * a.weight[i];
  a.momentum[i] = a.factor * a.momentum[i] + gradient;
  a.weight[i] -= a.rate * (a.nesterov ? gradient + a.factor * a.momentum[i] : a.momentum[i]);
}

}  // namespace spikenm::kernels
