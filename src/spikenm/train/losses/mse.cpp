#include <ATen/ATen.h>

namespace spikenm::train {

// Mean over samples and classes of (mean score - one-hot)^2, as UPR trains CIFAR10.
at::Tensor mse_loss(const at::Tensor& scores, const at::Tensor& labels) {
  const at::Tensor wanted = at::one_hot(labels, scores.size(2)).to(scores.scalar_type());
  return at::mse_loss(scores.mean(0), wanted);
}

// Every score 1/K: once in K samples it is 1 - 1/K off, otherwise 1/K.
double mse_of_constant(int64_t classes) {
  const auto K = static_cast<double>(classes);
  return (K - 1) / (K * K);
}

}  // namespace spikenm::train
