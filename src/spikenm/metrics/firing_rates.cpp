#include "spikenm/metrics/firing_rates.h"

#include <algorithm>

namespace spikenm::metrics {

void FiringRates::on_spikes(const nn::Neuron& layer, const at::Tensor& spikes) {
  auto it = std::find_if(rates_.begin(), rates_.end(),
                         [&](const Rate& r) { return r.name == layer.name; });
  if (it == rates_.end()) it = rates_.insert(rates_.end(), Rate{.name = layer.name});
  it->spikes.add(spikes);
  it->chances += static_cast<double>(spikes.numel());
}

std::vector<std::pair<std::string, double>> FiringRates::by_layer() const {
  std::vector<std::pair<std::string, double>> result;
  for (const Rate& r : rates_) result.emplace_back(r.name, r.spikes.total() / r.chances);
  return result;
}

double FiringRates::mean() const {
  double spikes = 0, chances = 0;
  for (const Rate& r : rates_) {
    spikes += r.spikes.total();
    chances += r.chances;
  }
  return chances == 0 ? 0 : spikes / chances;
}

Json FiringRates::json() const {
  Json rates = Json::object();
  for (const auto& [layer, rate] : by_layer()) rates[layer] = rate;
  rates["mean"] = mean();
  return rates;
}

}  // namespace spikenm::metrics
