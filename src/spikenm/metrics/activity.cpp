#include "spikenm/metrics/activity.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace spikenm::metrics {

void ActivityObserver::on_synapse_input(const nn::Synapse& layer, const at::Tensor& x,
                                        const at::Tensor& weight) {
  if (first_ == nullptr) first_ = &layer;
  if (&layer == first_) {
    samples_ += x.size(1);
    ++batches_;
    return;
  }
  if (!layer.maskable) return;
  const at::NoGradGuard no_grad;
  const at::Tensor alive = weight.ne(0).to(weight.scalar_type());
  at::Tensor operations = ops::synapse(x, alive, layer.geometry);
  for (const sparsity::NeuronMask& mask : neurons_) {
    if (mask.neuron == layer.drives) operations = operations * mask.keep;
  }
  sops_ += operations.sum(at::kDouble).item<double>();
}

void ActivityObserver::on_spikes(const nn::Neuron& layer, const at::Tensor& spikes) {
  auto it = std::find_if(rates_.begin(), rates_.end(),
                         [&](const Rate& r) { return r.name == layer.name; });
  if (it == rates_.end()) it = rates_.insert(rates_.end(), Rate{.name = layer.name});
  it->spikes += spikes.sum(at::kDouble).item<double>();
  it->chances += static_cast<double>(spikes.numel());
}

double ActivityObserver::sops_per_sample() const {
  return samples_ == 0 ? 0 : sops_ / static_cast<double>(samples_);
}

double ActivityObserver::sops_per_sample_upr(int64_t batch_size) const {
  return batches_ == 0 ? 0 : sops_ / static_cast<double>(batches_ * batch_size);
}

std::vector<std::pair<std::string, double>> ActivityObserver::firing_rates() const {
  std::vector<std::pair<std::string, double>> result;
  for (const Rate& r : rates_) result.emplace_back(r.name, r.spikes / r.chances);
  return result;
}

double ActivityObserver::mean_firing_rate() const {
  double spikes = 0, chances = 0;
  for (const Rate& r : rates_) {
    spikes += r.spikes;
    chances += r.chances;
  }
  return chances == 0 ? 0 : spikes / chances;
}

}  // namespace spikenm::metrics
