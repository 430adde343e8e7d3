// SGD, Adam and AdamW as PyTorch defines them, one fused pass per parameter (ops/optimizer_step.h).
// The learning rate is an argument of every step: a schedule is a function of the step and has no
// state.
#pragma once

#include "spikenm/nn/state.h"
#include "spikenm/ops/optimizer_step.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace spikenm::nn {

enum class OptimizerKind { kSgd, kAdam, kAdamW };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::kAdam;
  double momentum = 0.9;                          // sgd
  bool nesterov = false;                          // sgd
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;  // adam, adamw
  double weight_decay = 0;  // added to the gradient; adamw shrinks the weight instead
};

class Optimizer {
 public:
  Optimizer(std::vector<at::Tensor> parameters, const OptimizerOptions& options);

  void zero_grad();
  // Parameters without a gradient do not change. If `skip` ([1] float, on the parameters' device)
  // is not 0, no parameter changes, and the step does not count.
  void step(double lr, const at::Tensor& skip = {});
  // Resets the moments of `parameter` where `keep` is 0.
  void clear_moments(const at::Tensor& parameter, const at::Tensor& keep);
  // Scales all gradients by one factor, so that their joint Euclidean norm is at most `limit`.
  void clip_gradients(double limit);

  // Moments and counts; the parameters are shown by their owner.
  void visit_state(StateVisitor& visitor);

 private:
  struct Slot {
    at::Tensor parameter;
    at::Tensor first, second;  // momentum; or mean and uncentred variance of the gradient
  };
  [[nodiscard]] ops::SgdRule sgd(double lr) const;
  [[nodiscard]] ops::AdamRule adam(double lr) const;
  // Slots whose parameter has a gradient.
  [[nodiscard]] std::vector<ops::StepTensors> tensors_to_step() const;

  OptimizerOptions options_;
  std::vector<Slot> slots_;
  int64_t steps_ = 0;
  ops::StepGuard guard_;
};

}  // namespace spikenm::nn
