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

// [n] float: the largest magnitude in each gradient that is there, and in `names` whose it is. The
// maximum norm of a tensor with a NaN is NaN.
at::Tensor largest_gradients(const std::vector<nn::NamedTensor>& parameters,
                             std::vector<std::string>& names) {
  std::vector<at::Tensor> gradients;
  names.clear();
  for (const nn::NamedTensor& p : parameters) {
    if (!p.tensor.grad().defined() || p.tensor.numel() == 0) continue;
    gradients.push_back(p.tensor.grad());
    names.push_back(p.name);
  }
  if (gradients.empty()) return at::empty({0}, at::kFloat);
  return at::stack(at::_foreach_norm(gradients, std::numeric_limits<double>::infinity()));
}

}  // namespace

StepWatch::StepWatch(const nn::Network& network, int64_t limit)
    : parameters_(in_order_of_blame(network)),
      limit_(limit),
      skip_(at::zeros({1}, at::TensorOptions(network.device()).dtype(at::kFloat))),
      counter_(network.device(), limit) {}

void StepWatch::see(const at::Tensor& loss, const LossScaler* scaler) {
  const at::NoGradGuard no_grad;
  loss_ = loss;
  const at::Tensor largest = largest_gradients(parameters_, watched_);
  if (scaler != nullptr) skip_ = scaler->overflow();
  counter_.see(largest, loss_, scaler == nullptr ? at::Tensor() : scaler->scale(), skip_);
}

void StepWatch::see_more(const std::vector<nn::NamedTensor>& parameters, const LossScaler* scaler) {
  const at::NoGradGuard no_grad;
  const at::Tensor largest = largest_gradients(parameters, more_);
  if (more_.empty()) return;
  counter_.see_more(largest, static_cast<int64_t>(watched_.size()), loss_,
                    scaler == nullptr ? at::Tensor() : scaler->scale(), skip_);
}

std::optional<BadSteps> StepWatch::found() const {
  const ops::BadRow row = counter_.row();
  if (row.in_a_row < limit_) return std::nullopt;
  std::vector<std::string> names = watched_;
  names.insert(names.end(), more_.begin(), more_.end());
  const auto blamed = static_cast<size_t>(row.blamed);
  return BadSteps{.first = row.first,
                  .in_a_row = row.in_a_row,
                  .loss = row.loss,
                  .gradient = row.blamed >= 0 && blamed < names.size() ? names[blamed] : ""};
}

}  // namespace spikenm::train
