#include "spikenm/train/step.h"

#include "spikenm/nn/encoder.h"
#include "spikenm/nn/run_pass.h"
#include "spikenm/train/device.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace spikenm::train {
namespace {

std::vector<at::Tensor> parameters_of(const nn::Network& network) {
  std::vector<at::Tensor> tensors;
  for (const nn::NamedTensor& p : network.parameters()) tensors.push_back(p.tensor);
  return tensors;
}

}  // namespace

Stepper::Stepper(nn::Network& network, int64_t T, Loss loss, const nn::OptimizerOptions& optimizer,
                 double clip_norm, int64_t bad_steps)
    : network_(network),
      T_(T),
      loss_(std::move(loss)),
      clip_norm_(clip_norm),
      optimizer_(parameters_of(network), optimizer),
      watch_(network, bad_steps) {
  wake_gpu(network.device());
  if (network.device().is_cuda() && network.synapses().front().compute == at::kHalf)
    scaler_.emplace(network.device());
}

void Stepper::record_steps(bool record) {
  // A leak that is learnt is read by the host in every step, which no recording can do.
  const bool learns_leak = std::any_of(network_.neurons().begin(), network_.neurons().end(),
                                       [](const nn::Neuron& n) { return n.leak_logit.defined(); });
  record_ = record && !learns_leak;
}

void Stepper::clear_gradients(const StepHooks& hooks) {
  optimizer_.zero_grad();
  for (const nn::NamedTensor& p : hooks.parameters) p.tensor.mutable_grad() = at::Tensor();
}

at::Tensor Stepper::forward(const BatchTensors& batch) {
  nn::RunPass pass(/*training=*/true, /*observer=*/nullptr, T_);
  if (scaler_) pass.unscale_weights(scaler_->inverse());
  return network_.forward(pass, nn::encode(batch.frames, T_));
}

at::Tensor Stepper::loss(const at::Tensor& scores, const BatchTensors& batch) const {
  return batch_loss(loss_, scores, batch);
}

void Stepper::backward(const at::Tensor& loss, const StepHooks& hooks) {
  if (scaler_) {
    scaler_->scaled(loss).backward();
    unscale_gradients(hooks);
  } else {
    loss.backward();
  }
  watch_.see(loss.detach().to(at::kDouble), scaler());
}

void Stepper::unscale_gradients(const StepHooks& hooks) {
  std::vector<at::Tensor> unscaled, scaled;
  const auto sort_out = [](std::vector<at::Tensor>& list, const at::Tensor& parameter) {
    if (parameter.grad().defined()) list.push_back(parameter.grad());
  };

  std::vector<at::Tensor> weights;
  for (const nn::Synapse& s : network_.synapses()) weights.push_back(s.weight);
  for (const at::Tensor& p : parameters_of(network_)) {
    const bool is_weight = std::any_of(weights.begin(), weights.end(),
                                       [&](const at::Tensor& w) { return w.is_same(p); });
    sort_out(is_weight ? unscaled : scaled, p);
  }
  // Other trained parameters (mask logits) receive their gradient through the weights, already
  // unscaled.
  for (const nn::NamedTensor& p : hooks.parameters) sort_out(unscaled, p.tensor);
  scaler_->finish(unscaled, scaled);
}

void Stepper::update(const Position& at, double lr, const StepHooks& hooks) {
  const sparsity::Scaling scaling{.inverse = scaler_ ? scaler_->inverse() : at::Tensor(),
                                  .overflow = watch_.skip()};
  if (hooks.after_backward) hooks.after_backward(at, scaling);
  watch_.see_more(hooks.parameters, scaler());
  if (hooks.step_parameters) hooks.step_parameters(at, scaling);
  if (clip_norm_ > 0) optimizer_.clip_gradients(clip_norm_);
  optimizer_.step(lr, scaling.overflow);
  if (hooks.after_step) hooks.after_step(at);
  if (scaler_) scaler_->update();
}

StepResult Stepper::step(const BatchTensors& batch, const Position& at, double lr,
                         const StepHooks& hooks) {
  if (hooks.before_forward) hooks.before_forward(at);
  const auto version = record_ && hooks.recording ? hooks.recording() : std::nullopt;
  const auto work = [&](const BatchTensors& b) { return forward_backward(b, hooks); };
  StepResult result = version ? hooks.recorder->run(batch, *version, work) : work(batch);
  update(at, lr, hooks);
  return result;
}

void Stepper::visit_state(nn::StateVisitor& visitor) {
  {
    const nn::StateVisitor::Scope scope(visitor, "optimizer");
    optimizer_.visit_state(visitor);
  }
  {
    const nn::StateVisitor::Scope scope(visitor, "bad_steps");
    watch_.visit_state(visitor);
  }
  if (!scaler_) return;
  const nn::StateVisitor::Scope scope(visitor, "loss_scale");
  scaler_->visit_state(visitor);
}

StepResult Stepper::forward_backward(const BatchTensors& batch, const StepHooks& hooks) {
  clear_gradients(hooks);
  const at::Tensor scores = forward(batch);
  const at::Tensor value = loss(scores, batch);
  backward(value, hooks);
  return {.loss = value.detach().to(at::kDouble),
          .correct = scores.detach().mean(0).argmax(1).eq(batch.labels).sum()};
}

}  // namespace spikenm::train
