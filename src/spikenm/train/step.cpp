#include "spikenm/train/step.h"

#include "spikenm/nn/encoder.h"
#include "spikenm/nn/run_pass.h"
#include "spikenm/train/device.h"

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
      optimizer_(parameters_of(network), optimizer) {
  wake_gpu(network.device());
}

at::Tensor Stepper::forward(const BatchTensors& batch) {
  nn::RunPass pass(/*training=*/true, /*observer=*/nullptr, T_);
  return network_.forward(pass, nn::encode(batch.frames, T_));
}

at::Tensor Stepper::loss(const at::Tensor& scores, const BatchTensors& batch) const {
  return batch_loss(loss_, scores, batch);
}

void Stepper::update(double lr) {
  if (clip_norm_ > 0) optimizer_.clip_gradients(clip_norm_);
  optimizer_.step(lr);
}

StepResult Stepper::step(const BatchTensors& batch, const Position& at, double lr,
                         const StepHooks& hooks) {
  if (hooks.before_forward) hooks.before_forward(at);
  const auto version = record_ && hooks.recording ? hooks.recording() : std::nullopt;
  const auto work = [&](const BatchTensors& b) { return forward_backward(b, hooks); };
  StepResult result = version ? hooks.recorder->run(batch, *version, work) : work(batch);
  if (hooks.after_backward) hooks.after_backward(at);
  update(lr);
  if (hooks.after_step) hooks.after_step(at);
  return result;
}

StepResult Stepper::forward_backward(const BatchTensors& batch, const StepHooks& hooks) {
  optimizer_.zero_grad();
  if (hooks.clear_gradients) hooks.clear_gradients();
  const at::Tensor scores = forward(batch);
  const at::Tensor value = loss(scores, batch);
  value.backward();
  return {.loss = value.detach().to(at::kDouble),
          .correct = scores.detach().mean(0).argmax(1).eq(batch.labels).sum()};
}

}  // namespace spikenm::train
