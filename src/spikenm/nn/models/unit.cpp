#include "spikenm/nn/models/unit.h"

#include <ATen/ATen.h>

#include <cmath>

namespace spikenm::nn {
namespace {

Synapse& add_synapse(Network& network, const UnitSpec& spec, uint64_t seed) {
  const auto index = static_cast<uint32_t>(network.synapses().size());
  Synapse& synapse = network.synapses().emplace_back();
  synapse.name = spec.name;
  synapse.weight = kaiming_weight(spec.shape, seed, index).set_requires_grad(true);
  if (spec.bias) synapse.bias = uniform_bias(spec.shape, seed, index).set_requires_grad(true);
  synapse.geometry = spec.geometry;
  synapse.maskable = spec.maskable;
  return synapse;
}

Norm& add_norm(Network& network, const std::string& name, int64_t channels) {
  Norm& norm = network.norms().emplace_back();
  norm.name = name;
  norm.state.gamma = at::ones({channels}).set_requires_grad(true);
  norm.state.beta = at::zeros({channels}).set_requires_grad(true);
  norm.state.running_mean = at::zeros({channels});
  norm.state.running_var = at::ones({channels});
  return norm;
}

Neuron& add_neuron(Network& network, const std::string& name, const NeuronSpec& spec) {
  Neuron& neuron = network.neurons().emplace_back();
  neuron.name = name;
  neuron.params = spec.params;
  if (spec.params.neuron == kernels::Neuron::kPlif) {
    // k = sigmoid(w) starts at 1/tau.
    neuron.leak_logit = at::full({1}, -std::log(spec.tau - 1), at::kFloat).set_requires_grad(true);
  }
  return neuron;
}

}  // namespace

Tensor Unit::forward(Pass& pass, const Tensor& x, const ops::PoolGeometry* pool) const {
  const Tensor y = pass.synapse(*synapse, x);
  if (pool != nullptr) return pass.norm_neuron_pool(norm, *neuron, *pool, y);
  if (neuron != nullptr) return pass.norm_neuron(norm, *neuron, y);
  return norm != nullptr ? pass.norm(*norm, y) : y;
}

Unit add_unit(Network& network, const UnitSpec& spec, uint64_t seed) {
  Unit unit;
  unit.synapse = &add_synapse(network, spec, seed);
  if (spec.norm) unit.norm = &add_norm(network, "bn_" + spec.name, spec.shape.cout);
  if (spec.neuron) {
    const std::string kind = neuron_name(spec.neuron->params.neuron);
    unit.neuron = &add_neuron(network, kind + "_" + spec.name, *spec.neuron);
    unit.neuron->maskable = spec.neurons_maskable;
    unit.synapse->drives = unit.neuron;
  }
  return unit;
}

}  // namespace spikenm::nn
