// [Shi24] A number m for every weight or neuron of a layer, trained with the network, and its gate
// sigmoid(beta m), which multiplies the weight or the spike.
#pragma once

#include <ATen/core/Tensor.h>

namespace spikenm::sparsity {

class Gates {
 public:
  // In the shape and on the device of `like`, with m = 0. An open gate costs `connections`, the c of
  // the penalty lambda sum_l c_l sum sigmoid(beta m).
  Gates(const at::Tensor& like, double connections);

  // Makes the gates of a step; a gate below `closed` becomes 0.
  void set(double beta, double closed = 0);
  // For a forward: a leaf of autograd that has no gradient yet, at the same memory in every step.
  const at::Tensor& used() const;
  // What the backward left at the gates: 0 where no forward used them.
  [[nodiscard]] at::Tensor task_gradient() const;
  // Sets the gradient of m: the penalty adds lambda c to the gates' own, and both reach m through
  // beta sigmoid'(beta m).
  void set_gradient(const at::Tensor& task, double lambda) const;

  [[nodiscard]] const at::Tensor& m() const { return m_; }
  // What all gates cost if open.
  [[nodiscard]] double connections() const;

 private:
  at::Tensor m_, gate_;
  double connections_, beta_ = 0;
};

}  // namespace spikenm::sparsity
