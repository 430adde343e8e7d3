#include "spikenm/nn/run_pass.h"

#include "spikenm/ops/neuron_seq.h"

namespace spikenm::nn {

Tensor RunPass::synapse(Synapse& layer, const Tensor& x) {
  const Tensor weight = layer.hook != nullptr ? layer.hook->effective(layer.weight) : layer.weight;
  if (observer_ != nullptr) observer_->on_synapse_input(layer, x, weight);
  return ops::synapse(x, weight, layer.geometry,
                      layer.hook != nullptr ? layer.hook->credit() : nullptr);
}

Tensor RunPass::norm(Norm& layer, const Tensor& x) {
  return ops::batch_norm(x, layer.state, training_);
}

Tensor RunPass::neuron(Neuron& layer, const Tensor& x) {
  Tensor spikes = ops::neuron_seq(x, layer.params, layer.leak_logit);
  if (layer.hook != nullptr) spikes = layer.hook->effective(spikes);
  if (observer_ != nullptr) observer_->on_spikes(layer, spikes);
  return spikes;
}

Tensor RunPass::pool(ops::PoolKind kind, int64_t size, const Tensor& x) {
  return ops::pool(x, kind, size);
}

}  // namespace spikenm::nn
