// SGD, Adam and AdamW, one fused pass a parameter, as PyTorch defines them. The learning rate comes
// with every step: schedules are functions of the step, not state.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/kernels/optimizer_step.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace spikenm::train {

enum class OptimizerKind { kSgd, kAdam, kAdamW };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::kAdam;
  double momentum = 0.9;                          // sgd
  bool nesterov = false;                          // sgd
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;  // adam, adamw
  double weight_decay = 0;                        // added to the gradient; decoupled for adamw
};

// Reads optimizer, momentum, nesterov, beta1, beta2, eps, weight_decay from [train].
OptimizerOptions read_optimizer_options(const Config& config);

class Optimizer {
 public:
  Optimizer(std::vector<at::Tensor> parameters, const OptimizerOptions& options);

  void zero_grad();
  // Parameters without a gradient are left alone. Where `skip` ([1] float, beside the parameters)
  // is not 0, all are, and the step does not count.
  void step(double lr, const at::Tensor& skip = {});
  // Forgets the moments of `parameter` where `keep` is 0.
  void clear_moments(const at::Tensor& parameter, const at::Tensor& keep);
  // Scales all gradients together, so that their Euclidean norm is at most `limit`.
  void clip_gradients(double limit);

 private:
  struct Slot {
    at::Tensor parameter;
    at::Tensor first, second;  // momentum; or mean and uncentred variance of the gradient
  };
  template <class Step, class MakeStep>
  void step_all(MakeStep&& make_step);
  // Null where nothing may stop the step.
  const kernels::StepGuard* guard_step(double lr, const at::Tensor& skip);
  [[nodiscard]] kernels::SgdStep sgd(const Slot& slot, const at::Tensor& grad, double lr) const;
  [[nodiscard]] kernels::AdamStep adam(const Slot& slot, const at::Tensor& grad, double lr) const;
  void clip_on_gpu(double limit);
  [[nodiscard]] double gradient_norm() const;  // summed in a fixed order

  OptimizerOptions options_;
  std::vector<Slot> slots_;
  int64_t steps_ = 0;
  at::Tensor guard_;  // a kernels::StepGuard beside the parameters, once a step was guarded
};

}  // namespace spikenm::train
