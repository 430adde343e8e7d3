#include "spikenm/sparsity/gates.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::sparsity {

Gates::Gates(const at::Tensor& like, double connections)
    : m_(at::zeros_like(like.detach()).set_requires_grad(true)),
      gate_(at::empty_like(m_).set_requires_grad(true)),
      connections_(connections) {}

void Gates::set(double beta, double closed) {
  const at::NoGradGuard no_grad;
  beta_ = beta;
  gate_.copy_(m_).mul_(beta).sigmoid_();
  if (closed > 0) at::threshold_(gate_, closed, 0);
}

const at::Tensor& Gates::used() const {
  gate_.mutable_grad() = at::Tensor();
  return gate_;
}

at::Tensor Gates::task_gradient() const {
  return gate_.grad().defined() ? gate_.grad() : at::zeros_like(gate_.detach());
}

void Gates::set_gradient(const at::Tensor& task, double lambda) const {
  const at::NoGradGuard no_grad;
  m_.mutable_grad() = (task + lambda * connections_).mul_(gate_).mul_(1 - gate_).mul_(beta_);
}

double Gates::connections() const {
  return connections_ * static_cast<double>(m_.numel());
}

}  // namespace spikenm::sparsity
