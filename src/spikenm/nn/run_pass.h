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
  // An input [1,B,...] is a constant current: it lasts for all `steps`, and the first neurons turn
  // it into spikes [steps,B,...].
  explicit RunPass(bool training, Observer* observer = nullptr, int64_t steps = 1)
      : training_(training), observer_(observer), steps_(steps) {}

  // Errors will come scaled: weight gradients and credits are multiplied by this (ops/synapse.h).
  void unscale_weights(const Tensor& factor) { unscale_ = factor; }

  // By the network's plan; the functions below are its single steps.
  Tensor run(Network& network, const Tensor& x) override;

  Tensor synapse(Synapse& layer, const Tensor& x) override { return synapse(layer, {x, {}}); }
  Tensor norm(Norm& layer, const Tensor& x) override;
  Tensor neuron(Neuron& layer, const Tensor& x) override;
  Tensor pool(const graph::PoolGeometry& geometry, const Tensor& x) override;

 private:
  // Spikes may come with their bits, which the backward then keeps instead of them.
  Tensor synapse(Synapse& layer, const ops::Spikes& x);
  // Norm, neurons and pool in one call.
  ops::Spikes fused(Network& network, const PlanStep& step, const Tensor& x);
  // What a hook makes of the spikes, seen by the observer.
  Tensor finish_spikes(const Neuron& layer, Tensor spikes);
  // Where a training forward leaves the activity of these neurons; undefined: nowhere.
  [[nodiscard]] Tensor activity_of(const Neuron& layer) const;

  bool training_;
  Observer* observer_;
  int64_t steps_;
  Tensor unscale_;
};

}  // namespace spikenm::nn
