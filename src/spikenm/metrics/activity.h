// What a network does while it runs: firing rates and synaptic operations.
#pragma once

#include "spikenm/metrics/firing_rates.h"
#include "spikenm/nn/run_pass.h"
#include "spikenm/ops/sop_count.h"
#include "spikenm/sparsity/frozen_masks.h"

#include <map>

namespace spikenm::metrics {

// Watches evaluation passes. Synaptic operations (SOPs) are counted as UPR does: for every synapse
// layer that reads spikes and is maskable, the sum over time, outputs and positions of
// conv(x, 1[w != 0]) at outputs that reach neurons that are kept, x being the actual input: spikes,
// fractions after an average pool, sums after a residual one. Layers that read analog values, such
// as the first, multiply instead (energy.h).
class ActivityObserver : public nn::Observer {
 public:
  // Of `masks` only those of neurons matter: pruned weights are 0.
  explicit ActivityObserver(const nn::Network& network, const sparsity::Masks& masks = {});

  void on_synapse_input(const nn::Synapse& layer, const at::Tensor& x,
                        const at::Tensor& weight) override;
  void on_spikes(const nn::Neuron& layer, const at::Tensor& spikes) override {
    rates_.on_spikes(layer, spikes);
  }

  // SOPs per sample, all time steps and layers together: the exact mean.
  [[nodiscard]] double sops_per_sample() const;
  // UPR's estimate: the mean over batches by the full batch size, too low when the last batch is
  // smaller.
  [[nodiscard]] double sops_per_sample_upr(int64_t batch_size) const;
  [[nodiscard]] const FiringRates& firing_rates() const { return rates_; }

 private:
  // The synapses whose operations are counted, and which of their outputs matter: 1 where a neuron
  // is kept that reads it. Undefined: all.
  std::map<graph::NodeId, at::Tensor> useful_outputs_;
  graph::NodeId first_synapse_;  // runs once in every pass
  ops::SpikeCounter sops_;
  int64_t samples_ = 0, batches_ = 0;
  FiringRates rates_;
};

}  // namespace spikenm::metrics
