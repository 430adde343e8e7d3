// One training step: batch -> loss -> backward -> optimiser, with calls around its parts.
#pragma once

#include "spikenm/nn/network.h"
#include "spikenm/train/batch_tensors.h"
#include "spikenm/train/optimizer.h"
#include "spikenm/train/schedule.h"

#include <functional>

namespace spikenm::train {

// Called around the parts of a step; any may be null.
struct StepHooks {
  std::function<void(const Position&)> before_forward, after_backward, after_step;
};

// 0-d tensors, where the network is: reading one waits for the GPU.
struct StepResult {
  at::Tensor loss;     // double
  at::Tensor correct;  // samples whose label won, int64
};

class Stepper {
 public:
  Stepper(nn::Network& network, int64_t T, Loss loss, const OptimizerOptions& optimizer,
          double clip_norm);

  StepResult step(const BatchTensors& batch, const Position& at, double lr, const StepHooks& hooks);

  // The parts of step(), for whoever times them.
  at::Tensor forward(const BatchTensors& batch);  // scores [T,B,K]
  at::Tensor loss(const at::Tensor& scores, const BatchTensors& batch) const;
  void update(double lr);

  Optimizer& optimizer() { return optimizer_; }

 private:
  nn::Network& network_;
  int64_t T_;
  Loss loss_;
  double clip_norm_;
  Optimizer optimizer_;
};

}  // namespace spikenm::train
