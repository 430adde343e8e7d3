// Watches the steps of a training for a loss or a gradient that is not finite. No optimiser takes
// such a step. After some of them in a row no step is taken at all, so that the weights stay those
// of the last good step until the host looks. All this is decided on the network's device.
#pragma once

#include "spikenm/nn/network.h"
#include "spikenm/nn/state.h"
#include "spikenm/ops/bad_steps.h"
#include "spikenm/train/loss_scale.h"

#include <optional>
#include <string>
#include <vector>

namespace spikenm::train {

// A row of bad steps that was too long.
struct BadSteps {
  int64_t first = 0;  // number of the first one, counted from 0
  int64_t in_a_row = 1;
  double loss = 0;       // of the first one
  std::string gradient;  // of the first one: the parameter to blame; empty: all were finite
};

class StepWatch {
 public:
  StepWatch(const nn::Network& network, int64_t limit);

  // Called after each backward. With a scaler, its overflow flag is what the optimisers read; it may
  // be null. A recorded step may contain this call.
  void see(const at::Tensor& loss, const LossScaler* scaler);
  // Called when the gradients of the method's parameters are made, which belong to the same step.
  void see_more(const std::vector<nn::NamedTensor>& parameters, const LossScaler* scaler);

  // [1] float, not 0 if no optimiser may take the step.
  [[nodiscard]] const at::Tensor& skip() const { return skip_; }

  // None while there is no row that is too long. Waits for the GPU.
  [[nodiscard]] std::optional<BadSteps> found() const;

  // A row that has begun is state, and so is the number of steps.
  void visit_state(nn::StateVisitor& visitor) const { visitor.tensor("row", counter_.state()); }

 private:
  std::vector<nn::NamedTensor> parameters_;  // the network's, in the order of blame
  int64_t limit_;
  at::Tensor skip_;
  ops::BadStepCounter counter_;
  at::Tensor loss_;                          // of the step
  std::vector<std::string> watched_, more_;  // names of the parameters whose gradients were seen
};

}  // namespace spikenm::train
