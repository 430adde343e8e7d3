// Steers the weight of the neuron penalty so that the connectivity of the hard masks ends at a
// target.
#pragma once

namespace spikenm::sparsity {

// Adam moves every mask by about its rate a step, so the penalty sets the speed at which
// connections go, and the connectivity is its integral: a proportional controller settles on such a
// plant by itself. The small integral part holds against the steady pull of the task.
class ConnControl {
 public:
  explicit ConnControl(double target) : target_(target) {}

  // `conn` is the share of connections alive now. Gives the penalty in units of the task's own
  // gradient: positive drops neurons; negative, where the task alone would drop too many, keeps
  // them.
  double update(double conn);

 private:
  double target_;
  double sum_ = 0;  // of errors
};

}  // namespace spikenm::sparsity
