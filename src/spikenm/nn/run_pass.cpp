#include "spikenm/nn/run_pass.h"

#include "spikenm/ops/constant_input.h"
#include "spikenm/ops/neuron_seq.h"
#include "spikenm/ops/pool.h"
#include "spikenm/ops/readout.h"

#include <ATen/ATen.h>

namespace spikenm::nn {
namespace {

bool is_changed(const Neuron& layer) {
  return layer.hook != nullptr && layer.hook->changes();
}

}  // namespace

Tensor RunPass::run(Network& network, const Tensor& x) {
  const Plan& plan = network.plan(x.size(0) == 1 ? steps_ : x.size(0));
  const graph::Graph& graph = network.graph();
  std::vector<ops::Spikes> values(graph.nodes().size());
  values[0].values = x;

  for (const PlanStep& step : plan.steps) {
    const graph::Node& node = graph.node(step.node);
    ops::Spikes& value = values[step.node];
    if (step.neurons) {
      value = fused(network, step, values[step.input].values);
    } else if (node.as<graph::Synapse>() != nullptr) {
      value.values = synapse(network.synapse(step.node), values[step.input]);
    } else {
      std::vector<Tensor> inputs;
      for (const graph::NodeId input : node.inputs) inputs.push_back(values[input].values);
      value.values = compute(network, step.node, inputs);
    }

    for (const graph::NodeId id : step.finished) values[id] = {};
  }
  return values.back().values;
}

ops::Spikes RunPass::fused(Network& network, const PlanStep& step, const Tensor& x) {
  const Neuron& layer = network.neuron(*step.neurons);
  const auto* const geometry =
      step.pool ? network.graph().node(*step.pool).as<graph::Pool>() : nullptr;
  const ops::NormNeuronCall call{.params = layer.spec->params,
                                 .norm = step.norm ? &network.norm(*step.norm).state : nullptr,
                                 .steps = x.size(0) == 1 ? steps_ : x.size(0),
                                 .training = training_,
                                 .wants_bits = step.bits && !is_changed(layer),
                                 .activity = activity_of(layer)};

  // A call that includes the pool does not store the spikes, and does not compute those outside of
  // its windows. If a hook or an observer needs them, the pool is a call of its own.
  const bool needs_edges = call.activity.defined() && geometry != nullptr &&
                           (x.size(3) % geometry->size != 0 || x.size(4) % geometry->size != 0);
  const bool spikes_wanted = is_changed(layer) || observer_ != nullptr || needs_edges;
  if (geometry != nullptr && !spikes_wanted) return ops::norm_neuron(x, call, geometry);

  ops::Spikes spikes = ops::norm_neuron(x, call);
  spikes.values = finish_spikes(layer, spikes.values);
  return geometry == nullptr ? spikes : ops::Spikes{pool(*geometry, spikes.values), {}};
}

Tensor RunPass::synapse(Synapse& layer, const ops::Spikes& x) {
  const Tensor weight = layer.hook != nullptr ? layer.hook->effective(layer.weight) : layer.weight;
  const auto credit = layer.hook != nullptr ? layer.hook->credit() : nullptr;
  // The credit of a constant current is earned step by step.
  const bool temporal = credit != nullptr && credit->kind == ops::CreditKind::kTemporal;
  if (observer_ != nullptr) observer_->on_synapse_input(layer, x.values, weight);

  Tensor y = ops::synapse(x.values, weight, layer.spec->geometry, credit, layer.compute, x.bits,
                          temporal ? steps_ : 1, unscale_);
  if (layer.bias.defined()) y = y + (y.dim() == 3 ? layer.bias : layer.bias.view({-1, 1, 1}));
  return layer.drives == nullptr ? ops::exact(y) : y;
}

Tensor RunPass::norm(Norm& layer, const Tensor& x) {
  return ops::batch_norm(x, layer.state, training_);
}

Tensor RunPass::neuron(Neuron& layer, const Tensor& x) {
  return finish_spikes(layer, ops::neuron_seq(ops::at_all_steps(x, steps_), layer.spec->params,
                                              layer.leak_logit, activity_of(layer)));
}

Tensor RunPass::finish_spikes(const Neuron& layer, Tensor spikes) {
  if (is_changed(layer)) spikes = layer.hook->effective(spikes);
  if (observer_ != nullptr) observer_->on_spikes(layer, spikes);
  return spikes;
}

Tensor RunPass::activity_of(const Neuron& layer) const {
  return training_ && layer.hook != nullptr ? layer.hook->activity() : Tensor();
}

Tensor RunPass::pool(const graph::PoolGeometry& geometry, const Tensor& x) {
  return ops::pool(x, geometry);
}

}  // namespace spikenm::nn
