// Sets the weight of the neuron penalty so that the connectivity of the hard masks ends at a
// target.
#pragma once

#include "spikenm/nn/state.h"

namespace spikenm::sparsity {

// Adam moves every mask by about its learning rate per step. So the penalty sets the speed at which
// connections are lost, and the connectivity is the integral of that speed: a proportional
// controller is enough to make such a system settle. The small integral part works against the
// steady pull of the task.
class ConnControl {
 public:
  explicit ConnControl(double target) : target_(target) {}

  // `conn` is the share of connections alive now. Returns the penalty in units of the task's
  // gradient. A positive penalty drops neurons; a negative one keeps them, if the task alone would
  // drop too many.
  double update(double conn);

  void visit_state(nn::StateVisitor& visitor) { visitor.value("sum_of_errors", sum_); }

 private:
  double target_;
  double sum_ = 0;  // sum of errors
};

}  // namespace spikenm::sparsity
