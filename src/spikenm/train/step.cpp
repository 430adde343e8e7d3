#include "spikenm/train/step.h"

#include "spikenm/nn/encoder.h"
#include "spikenm/nn/run_pass.h"

#include <ATen/ATen.h>

namespace spikenm::train {
namespace {

std::vector<at::Tensor> parameters_of(const nn::Network& network) {
  std::vector<at::Tensor> tensors;
  for (const nn::NamedTensor& p : network.parameters()) tensors.push_back(p.tensor);
  return tensors;
}

}  // namespace

Stepper::Stepper(nn::Network& network, int64_t T, Loss loss, const OptimizerOptions& optimizer,
                 double clip_norm)
    : network_(network),
      T_(T),
      loss_(std::move(loss)),
      clip_norm_(clip_norm),
      optimizer_(parameters_of(network), optimizer) {}

at::Tensor Stepper::forward(const BatchTensors& batch) {
  nn::RunPass pass(/*training=*/true);
  return network_.forward(pass, nn::encode(batch.frames, T_));
}

at::Tensor Stepper::loss(const at::Tensor& scores, const BatchTensors& batch) const {
  return batch_loss(loss_, scores, batch);
}

void Stepper::update(double lr) {
  if (clip_norm_ > 0) {
    const double norm = optimizer_.gradient_norm();
    if (norm > clip_norm_) optimizer_.scale_gradients(clip_norm_ / norm);
  }
  optimizer_.step(lr);
}

StepResult Stepper::step(const BatchTensors& batch, const Position& at, double lr,
                         const StepHooks& hooks) {
  optimizer_.zero_grad();
  if (hooks.before_forward) hooks.before_forward(at);
  const at::Tensor scores = forward(batch);
  const at::Tensor value = loss(scores, batch);
  value.backward();
  if (hooks.after_backward) hooks.after_backward(at);
  update(lr);
  if (hooks.after_step) hooks.after_step(at);
  return {.loss = value.detach().to(at::kDouble),
          .correct = scores.detach().mean(0).argmax(1).eq(batch.labels).sum()};
}

}  // namespace spikenm::train
