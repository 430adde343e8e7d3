#include <ATen/ATen.h>

#include <cmath>

namespace spikenm::train {

at::Tensor ce_loss(const at::Tensor& scores, const at::Tensor& labels) {
  return at::cross_entropy_loss(scores.mean(0), labels);
}

// Equal scores: every class has the probability 1/K.
double ce_of_constant(int64_t classes) {
  return std::log(static_cast<double>(classes));
}

}  // namespace spikenm::train
