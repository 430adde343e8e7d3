// One training step: batch -> loss -> backward -> optimiser, with hooks around its parts.
#pragma once

#include "spikenm/nn/network.h"
#include "spikenm/nn/optimizer.h"
#include "spikenm/sparsity/method.h"
#include "spikenm/train/batch_tensors.h"
#include "spikenm/train/loss_scale.h"
#include "spikenm/train/schedule.h"
#include "spikenm/train/step_recorder.h"
#include "spikenm/train/step_watch.h"

#include <functional>
#include <memory>
#include <optional>

namespace spikenm::train {

// Called around the parts of a step; any may be null.
struct StepHooks {
  std::function<void(const Position&)> before_forward, after_step;
  // The first is called when the gradients are made and no optimiser has read them, and makes or
  // changes those of `parameters`; the second steps these parameters.
  std::function<void(const Position&, const sparsity::Scaling&)> after_backward, step_parameters;
  // Parameters that do not belong to the stepper.
  std::vector<nn::NamedTensor> parameters;
  // As sparsity::Pruning::recording; null: steps are not recorded.
  std::function<std::optional<int64_t>()> recording;
  std::shared_ptr<StepRecorder> recorder = std::make_shared<StepRecorder>();
};

class Stepper {
 public:
  // For `bad_steps` see StepWatch.
  Stepper(nn::Network& network, int64_t T, Loss loss, const nn::OptimizerOptions& optimizer,
          double clip_norm, int64_t bad_steps = 1);

  // Lets the GPU record forward and backward if the hooks allow it.
  void record_steps(bool record);

  StepResult step(const BatchTensors& batch, const Position& at, double lr, const StepHooks& hooks);

  // The parts of step(), for code that times them.
  void clear_gradients(const StepHooks& hooks);
  at::Tensor forward(const BatchTensors& batch);  // scores [T,B,K]
  at::Tensor loss(const at::Tensor& scores, const BatchTensors& batch) const;
  void backward(const at::Tensor& loss, const StepHooks& hooks);
  void update(const Position& at, double lr, const StepHooks& hooks);

  nn::Optimizer& optimizer() { return optimizer_; }
  // Of the optimiser, the row of bad steps and the loss scale.
  void visit_state(nn::StateVisitor& visitor);

  [[nodiscard]] const StepWatch& watch() const { return watch_; }
  // Null unless the network computes in half precision.
  [[nodiscard]] const LossScaler* scaler() const { return scaler_ ? &*scaler_ : nullptr; }

 private:
  StepResult forward_backward(const BatchTensors& batch, const StepHooks& hooks);
  void unscale_gradients(const StepHooks& hooks);

  nn::Network& network_;
  int64_t T_;
  Loss loss_;
  double clip_norm_;
  nn::Optimizer optimizer_;
  std::optional<LossScaler> scaler_;
  StepWatch watch_;
  bool record_ = false;
};

}  // namespace spikenm::train
