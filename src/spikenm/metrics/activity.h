// What a network does while it runs: firing rates and synaptic operations.
#pragma once

#include "spikenm/nn/run_pass.h"
#include "spikenm/ops/sop_count.h"
#include "spikenm/sparsity/frozen_masks.h"

#include <string>
#include <utility>
#include <vector>

namespace spikenm::metrics {

// Watches evaluation passes. Synaptic operations (SOPs) are counted as UPR does: for every synapse
// layer but the first (which encodes) and readouts that are not counted, the sum over time, outputs
// and positions of conv(x, 1[w != 0]) at neurons that are kept, x being the actual input: spikes,
// fractions after an average pool, sums after a residual one.
class ActivityObserver : public nn::Observer {
 public:
  explicit ActivityObserver(std::vector<sparsity::NeuronMask> neurons = {})
      : neurons_(std::move(neurons)) {}

  void on_synapse_input(const nn::Synapse& layer, const at::Tensor& x,
                        const at::Tensor& weight) override;
  void on_spikes(const nn::Neuron& layer, const at::Tensor& spikes) override;

  // SOPs per sample, all time steps and layers together: the exact mean.
  [[nodiscard]] double sops_per_sample() const;
  // UPR's estimate: the mean over batches by the full batch size, too low when the last batch is
  // smaller.
  [[nodiscard]] double sops_per_sample_upr(int64_t batch_size) const;
  // Mean spikes per neuron and time step, by layer in forward order.
  [[nodiscard]] std::vector<std::pair<std::string, double>> firing_rates() const;
  // Over all neurons of the network.
  [[nodiscard]] double mean_firing_rate() const;

 private:
  struct Rate {
    std::string name;
    ops::SpikeCounter spikes;
    double chances = 0;
  };
  std::vector<sparsity::NeuronMask> neurons_;
  const nn::Synapse* first_ = nullptr;
  ops::SpikeCounter sops_;
  int64_t samples_ = 0, batches_ = 0;
  std::vector<Rate> rates_;
};

}  // namespace spikenm::metrics
