// Dynamic loss scaling, for half precision: most errors are below its smallest number and would
// round to 0. The loss is multiplied by a scale before the backward; weight gradients and credits
// are divided by it where they become float (ops/synapse.h), all other gradients by finish(). When
// one of them overflowed, the step is skipped and the scale halved; after many good steps it
// doubles. Scale and verdict live where the network is: nobody waits for them, and a recorded step
// reads them anew.
#pragma once

#include "spikenm/core/json.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace spikenm::train {

class LossScaler {
 public:
  static constexpr double kFirst = 65536;
  static constexpr int64_t kStepsToDouble = 500;

  explicit LossScaler(const at::Device& device);

  [[nodiscard]] at::Tensor scaled(const at::Tensor& loss) const;
  // One over the scale: [1] float.
  [[nodiscard]] const at::Tensor& inverse() const { return inverse_; }

  // After the backward: divides the gradients in `scaled`, and finds out whether any of them or of
  // `unscaled` is not finite.
  void finish(const std::vector<at::Tensor>& unscaled, const std::vector<at::Tensor>& scaled);
  // Not 0 when the step must be skipped: [1] float.
  [[nodiscard]] const at::Tensor& overflow() const { return overflow_; }

  // After the optimiser: the scale of the next step.
  void update();

  // loss_scale and skipped_steps, so far; they wait for the GPU.
  [[nodiscard]] Json state() const;
  [[nodiscard]] int64_t skipped_steps() const;

 private:
  at::Tensor scale_, inverse_, overflow_;  // [1] float
  at::Tensor good_steps_;                  // [1] int32, since the scale last changed
  at::Tensor skipped_;                     // [1] float, over all steps
};

}  // namespace spikenm::train
