#include <ATen/ATen.h>

#include <cmath>

namespace spikenm::train {

// Temporal efficient training: the cross entropy of each step's score. The paper's sum over t is
// read as a mean: with a sum, the effect of the distillation's lambda would depend on T.
at::Tensor tet_loss(const at::Tensor& scores, const at::Tensor& labels) {
  return at::cross_entropy_loss(scores.flatten(0, 1), labels.repeat({scores.size(0)}));
}

// Equal scores at every step.
double tet_of_constant(int64_t classes) {
  return std::log(static_cast<double>(classes));
}

}  // namespace spikenm::train
