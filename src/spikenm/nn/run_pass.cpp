#include "spikenm/nn/run_pass.h"

#include "spikenm/ops/neuron_seq.h"
#include "spikenm/ops/norm_neuron_cpu.h"

#include <ATen/ATen.h>

namespace spikenm::nn {

Tensor RunPass::synapse(Synapse& layer, const Tensor& given) {
  const Tensor weight = layer.hook != nullptr ? layer.hook->effective(layer.weight) : layer.weight;
  const auto credit = layer.hook != nullptr ? layer.hook->credit() : nullptr;
  // The credit of a constant current is earned step by step.
  const bool temporal = credit != nullptr && credit->kind == ops::CreditKind::kTemporal;
  const Tensor x = temporal && !given.is_cuda() ? at_all_steps(given) : given;
  if (observer_ != nullptr) observer_->on_synapse_input(layer, x, weight);
  Tensor y = ops::synapse(x, weight, layer.geometry, credit, layer.compute,
                          x.is_same(last_.values) ? last_.bits : Tensor(), temporal ? steps_ : 1,
                          unscale_);
  if (layer.bias.defined()) y = y + (y.dim() == 3 ? layer.bias : layer.bias.view({-1, 1, 1}));
  return layer.drives == nullptr && y.is_cuda() ? y.to(at::kFloat) : y;  // scores stay exact
}

Tensor RunPass::norm(Norm& layer, const Tensor& x) {
  return ops::batch_norm(x, layer.state, training_);
}

Tensor RunPass::neuron(Neuron& layer, const Tensor& x) {
  return finish_spikes(layer, ops::neuron_seq(at_all_steps(x), layer.params, layer.leak_logit));
}

Tensor RunPass::norm_neuron(Norm* norm_layer, Neuron& layer, const Tensor& x) {
  const int64_t steps = x.size(0) == 1 ? steps_ : x.size(0);
  ops::BatchNormState* const state = norm_layer != nullptr ? &norm_layer->state : nullptr;
  if (ops::can_fuse_norm_neuron_cpu(x, layer.params))
    return finish_spikes(layer, ops::norm_neuron_cpu(x, steps, state, layer.params, training_));
  if (!ops::can_fuse_norm_neuron(x, steps, layer.params))
    return Pass::norm_neuron(norm_layer, layer, x);
  last_ = ops::norm_neuron(x, steps, state, layer.params, training_);
  return finish_spikes(layer, last_.values);
}

Tensor RunPass::norm_neuron_pool(Norm* norm_layer, Neuron& layer, const ops::PoolGeometry& geometry,
                                 const Tensor& x) {
  const int64_t steps = x.size(0) == 1 ? steps_ : x.size(0);
  const bool spikes_wanted = layer.hook != nullptr || observer_ != nullptr;
  if (spikes_wanted || !ops::can_fuse_pool(x, steps, layer.params, geometry))
    return Pass::norm_neuron_pool(norm_layer, layer, geometry, x);
  ops::BatchNormState* const state = norm_layer != nullptr ? &norm_layer->state : nullptr;
  return ops::norm_neuron(x, steps, state, layer.params, training_, &geometry).values;
}

Tensor RunPass::at_all_steps(const Tensor& x) const {
  if (x.size(0) != 1 || steps_ == 1) return x;
  std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), -1);
  sizes[0] = steps_;
  return x.expand(sizes);
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
