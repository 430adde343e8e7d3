// Dynamic loss scaling for half precision: most gradients are below its smallest number and would
// round to 0. The loss is multiplied by a scale before the backward. Weight gradients and credits
// are divided by it when they become float (ops/synapse.h), all other gradients by finish(). If a
// gradient overflowed, the step is skipped and the scale halved; after many good steps the scale
// doubles. Scale and overflow flag stay on the network's device: the host does not wait for them,
// and a recorded step reads their current values.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/nn/state.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace spikenm::train {

class LossScaler {
 public:
  static constexpr double kFirst = 65536;
  static constexpr int64_t kStepsToDouble = 500;

  explicit LossScaler(const at::Device& device);

  [[nodiscard]] at::Tensor scaled(const at::Tensor& loss) const;
  [[nodiscard]] const at::Tensor& scale() const { return scale_; }  // [1] float
  // One over the scale: [1] float.
  [[nodiscard]] const at::Tensor& inverse() const { return inverse_; }

  // Called after the backward: divides the gradients in `scaled` by the scale, and finds out
  // whether any of them or of `unscaled` is not finite.
  void finish(const std::vector<at::Tensor>& unscaled, const std::vector<at::Tensor>& scaled);
  // [1] float, not 0 if the step must be skipped.
  [[nodiscard]] const at::Tensor& overflow() const { return overflow_; }

  // Called after the optimiser: sets the scale of the next step.
  void update();

  // loss_scale and skipped_steps so far; both calls wait for the GPU.
  [[nodiscard]] Json state() const;
  [[nodiscard]] int64_t skipped_steps() const;

  void visit_state(nn::StateVisitor& visitor) const;

 private:
  at::Tensor scale_, inverse_, overflow_;  // [1] float
  at::Tensor good_steps_;                  // [1] int32, good steps since the scale last changed
  at::Tensor skipped_;                     // [1] float, over all steps
};

}  // namespace spikenm::train
