// The pass that computes: training or evaluation, with an observer for what flows.
#pragma once

#include "spikenm/nn/pass.h"

namespace spikenm::nn {

// Sees inputs of synapse layers and spikes of neuron layers as they are computed.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_synapse_input(const Synapse&, const Tensor& /*x*/,
                                const Tensor& /*weight used*/) {}
  virtual void on_spikes(const Neuron&, const Tensor& /*spikes*/) {}
};

class RunPass : public Pass {
 public:
  explicit RunPass(bool training, Observer* observer = nullptr)
      : training_(training), observer_(observer) {}

  Tensor synapse(Synapse& layer, const Tensor& x) override;
  Tensor norm(Norm& layer, const Tensor& x) override;
  Tensor neuron(Neuron& layer, const Tensor& x) override;
  Tensor norm_neuron(Norm* norm_layer, Neuron& layer, const Tensor& x) override;
  Tensor pool(const ops::PoolGeometry& geometry, const Tensor& x) override;

 private:
  // What a hook makes of the spikes, seen by the observer.
  Tensor finish_spikes(const Neuron& layer, Tensor spikes);

  bool training_;
  Observer* observer_;
};

}  // namespace spikenm::nn
