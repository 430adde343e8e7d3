// How often the neurons of each layer fire.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/nn/run_pass.h"
#include "spikenm/ops/sop_count.h"

#include <string>
#include <utility>
#include <vector>

namespace spikenm::metrics {

class FiringRates : public nn::Observer {
 public:
  void on_spikes(const nn::Neuron& layer, const at::Tensor& spikes) override;

  // Mean spikes per neuron and time step, by layer in forward order.
  [[nodiscard]] std::vector<std::pair<std::string, double>> by_layer() const;
  // Over all neurons of the network.
  [[nodiscard]] double mean() const;
  // {"lif1": 0.05, …, "mean": 0.06}
  [[nodiscard]] Json json() const;

 private:
  struct Rate {
    std::string name;
    ops::SpikeCounter spikes;
    double chances = 0;
  };
  std::vector<Rate> rates_;
};

}  // namespace spikenm::metrics
