#include "spikenm/train/step_watch.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>

namespace spikenm::train {
namespace {

// In the order of blame: the last of them that is not finite is named. A backward goes from the
// last layer to the first, and spreads what is not finite to all layers before the one that made
// it. So the synapses come last, in forward order.
std::vector<nn::NamedTensor> in_order_of_blame(const nn::Network& network) {
  std::vector<nn::NamedTensor> synapses, all;
  for (const nn::NamedTensor& p : network.parameters()) {
    const auto is_synapse = [&](const nn::Synapse& s) {
      return p.tensor.is_same(s.weight) || p.tensor.is_same(s.bias);
    };
    const auto& list = network.synapses();
    (std::any_of(list.begin(), list.end(), is_synapse) ? synapses : all).push_back(p);
  }
  all.insert(all.end(), synapses.begin(), synapses.end());
  return all;
}

}  // namespace

StepWatch::StepWatch(const nn::Network& network, int64_t limit)
    : parameters_(in_order_of_blame(network)),
      limit_(limit),
      skip_(at::zeros({1}, at::TensorOptions(network.device()).dtype(at::kFloat))),
      counter_(network.device(), limit) {}

void StepWatch::see(const at::Tensor& loss, const std::vector<at::Tensor>& more,
                    const LossScaler* scaler) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  watched_.clear();
  const auto watch = [&](const at::Tensor& parameter, const std::string& name) {
    if (!parameter.grad().defined() || parameter.numel() == 0) return;
    gradients.push_back(parameter.grad());
    watched_.push_back(name);
  };
  for (const at::Tensor& parameter : more) watch(parameter, "the method's parameters");
  for (const nn::NamedTensor& p : parameters_) watch(p.tensor, p.name);

  // The maximum norm of a tensor with a NaN is NaN.
  const at::Tensor largest =
      gradients.empty()
          ? at::empty({0}, skip_.options())
          : at::stack(at::_foreach_norm(gradients, std::numeric_limits<double>::infinity()));
  if (scaler != nullptr) skip_ = scaler->overflow();
  counter_.see(largest, loss, scaler == nullptr ? at::Tensor() : scaler->scale(), skip_);
}

std::optional<BadSteps> StepWatch::found() const {
  const ops::BadRow row = counter_.row();
  if (row.in_a_row < limit_) return std::nullopt;
  const auto blamed = static_cast<size_t>(row.blamed);
  return BadSteps{.first = row.first,
                  .in_a_row = row.in_a_row,
                  .loss = row.loss,
                  .gradient = row.blamed >= 0 && blamed < watched_.size() ? watched_[blamed] : ""};
}

}  // namespace spikenm::train
