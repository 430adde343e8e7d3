#include "spikenm/metrics/activity.h"

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
  if (!layer.spec->maskable) return;
  at::Tensor keep;
  for (const sparsity::NeuronMask& mask : neurons_) {
    if (mask.neuron == layer.drives) keep = mask.keep;
  }
  sops_.add(x, ops::reach_of(weight, layer.spec->geometry, x.sizes(), keep));
}

void ActivityObserver::on_spikes(const nn::Neuron& layer, const at::Tensor& spikes) {
  auto it = std::find_if(rates_.begin(), rates_.end(),
                         [&](const Rate& r) { return r.name == layer.name; });
  if (it == rates_.end()) it = rates_.insert(rates_.end(), Rate{.name = layer.name});
  it->spikes.add(spikes);
  it->chances += static_cast<double>(spikes.numel());
}

double ActivityObserver::sops_per_sample() const {
  return samples_ == 0 ? 0 : sops_.total() / static_cast<double>(samples_);
}

double ActivityObserver::sops_per_sample_upr(int64_t batch_size) const {
  return batches_ == 0 ? 0 : sops_.total() / static_cast<double>(batches_ * batch_size);
}

std::vector<std::pair<std::string, double>> ActivityObserver::firing_rates() const {
  std::vector<std::pair<std::string, double>> result;
  for (const Rate& r : rates_) result.emplace_back(r.name, r.spikes.total() / r.chances);
  return result;
}

double ActivityObserver::mean_firing_rate() const {
  double spikes = 0, chances = 0;
  for (const Rate& r : rates_) {
    spikes += r.spikes.total();
    chances += r.chances;
  }
  return chances == 0 ? 0 : spikes / chances;
}

}  // namespace spikenm::metrics
