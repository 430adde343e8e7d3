#include "spikenm/nn/run_pass.h"

#include "spikenm/ops/neuron_seq.h"
#include "spikenm/ops/norm_neuron.h"

#include <ATen/ATen.h>

namespace spikenm::nn {

Tensor RunPass::synapse(Synapse& layer, const Tensor& x) {
  const Tensor weight = layer.hook != nullptr ? layer.hook->effective(layer.weight) : layer.weight;
  if (observer_ != nullptr) observer_->on_synapse_input(layer, x, weight);
  Tensor y = ops::synapse(x, weight, layer.geometry,
                          layer.hook != nullptr ? layer.hook->credit() : nullptr, layer.compute);
  if (layer.bias.defined()) y = y + (y.dim() == 3 ? layer.bias : layer.bias.view({-1, 1, 1}));
  return layer.drives == nullptr && y.is_cuda() ? y.to(at::kFloat) : y;  // scores stay exact
}

Tensor RunPass::norm(Norm& layer, const Tensor& x) {
  return ops::batch_norm(x, layer.state, training_);
}

Tensor RunPass::neuron(Neuron& layer, const Tensor& x) {
  return finish_spikes(layer, ops::neuron_seq(x, layer.params, layer.leak_logit));
}

Tensor RunPass::norm_neuron(Norm* norm_layer, Neuron& layer, const Tensor& x) {
  if (!ops::can_fuse_norm_neuron(x, layer.params)) return Pass::norm_neuron(norm_layer, layer, x);
  ops::BatchNormState* const state = norm_layer != nullptr ? &norm_layer->state : nullptr;
  return finish_spikes(layer, ops::norm_neuron(x, state, layer.params, training_));
}

Tensor RunPass::finish_spikes(const Neuron& layer, Tensor spikes) {
  if (layer.hook != nullptr) spikes = layer.hook->effective(spikes);
  if (observer_ != nullptr) observer_->on_spikes(layer, spikes);
  return spikes;
}

Tensor RunPass::pool(const ops::PoolGeometry& geometry, const Tensor& x) {
  return ops::pool(x, geometry);
}

}  // namespace spikenm::nn
