#include "spikenm/train/loss_scale.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::train {

LossScaler::LossScaler(const at::Device& device) {
  const auto options = at::TensorOptions(device).dtype(at::kFloat);
  scale_ = at::full({1}, kFirst, options);
  inverse_ = scale_.reciprocal();
  overflow_ = at::zeros({1}, options);
  good_steps_ = at::zeros({1}, options.dtype(at::kInt));
  skipped_ = at::zeros({1}, options);
}

at::Tensor LossScaler::scaled(const at::Tensor& loss) const {
  return loss * scale_.squeeze(0);
}

void LossScaler::finish(const std::vector<at::Tensor>& unscaled,
                        const std::vector<at::Tensor>& scaled) {
  const at::NoGradGuard no_grad;
  overflow_.zero_();
  if (!unscaled.empty())
    at::_amp_foreach_non_finite_check_and_unscale_(unscaled, overflow_, at::ones_like(inverse_));
  if (!scaled.empty()) at::_amp_foreach_non_finite_check_and_unscale_(scaled, overflow_, inverse_);
}

void LossScaler::update() {
  skipped_.add_(overflow_);
  at::_amp_update_scale_(scale_, good_steps_, overflow_, /*scale_growth_factor=*/2,
                         /*scale_backoff_factor=*/0.5, kStepsToDouble);
  at::reciprocal_out(inverse_, scale_);
}

Json LossScaler::state() const {
  return {{"loss_scale", scale_.item<double>()}, {"skipped_steps", skipped_steps()}};
}

int64_t LossScaler::skipped_steps() const {
  return skipped_.item<int64_t>();
}

void LossScaler::visit_state(nn::StateVisitor& visitor) const {
  visitor.tensor("scale", scale_);
  visitor.tensor("inverse", inverse_);
  visitor.tensor("good_steps", good_steps_);
  visitor.tensor("skipped", skipped_);
}

}  // namespace spikenm::train
