#include "spikenm/nn/models/unit.h"

#include "spikenm/core/error.h"

#include <ATen/ATen.h>

#include <cmath>

namespace spikenm::nn {
namespace {

constexpr double kMostWeights = 1LL << 33;  // of a layer: 32 GiB

void check_size(Network& network, const UnitSpec& spec) {
  const nm::WeightShape& s = spec.shape;
  SPIKENM_CHECK(network.synapses().size() < kMostLayers,
                "model: found more than {} layers, wanted at most {} (a fixed limit)", kMostLayers,
                kMostLayers);
  // A double cannot overflow as a product of sizes from a config can.
  const double weights =
      static_cast<double>(s.cout) * static_cast<double>(s.cin) * static_cast<double>(s.kh * s.kw);
  SPIKENM_CHECK(weights <= kMostWeights,
                "model: {} would have {}x{}x{}x{} weights, wanted at most {:g} (a fixed limit)",
                spec.name, s.cout, s.cin, s.kh, s.kw, kMostWeights);
}

Tensor shape_only(at::IntArrayRef sizes) {
  return at::empty(sizes, at::device(at::kMeta).dtype(at::kFloat));
}

Synapse& add_synapse(Network& network, const UnitSpec& spec, uint64_t seed, bool shapes_only) {
  const auto index = static_cast<uint32_t>(network.synapses().size());
  const nm::WeightShape& s = spec.shape;
  Synapse& synapse = network.synapses().emplace_back();
  synapse.name = spec.name;
  synapse.weight =
      (shapes_only ? shape_only({s.cout, s.cin, s.kh, s.kw}) : kaiming_weight(s, seed, index))
          .set_requires_grad(true);
  if (spec.bias)
    synapse.bias =
        (shapes_only ? shape_only({s.cout}) : uniform_bias(s, seed, index)).set_requires_grad(true);
  synapse.geometry = spec.geometry;
  synapse.maskable = spec.maskable;
  return synapse;
}

Norm& add_norm(Network& network, const std::string& name, int64_t channels, bool shapes_only) {
  const auto filled = [&](double value) {
    return shapes_only ? shape_only({channels}) : at::full({channels}, value, at::kFloat);
  };
  Norm& norm = network.norms().emplace_back();
  norm.name = name;
  norm.state.gamma = filled(1).set_requires_grad(true);
  norm.state.beta = filled(0).set_requires_grad(true);
  norm.state.running_mean = filled(0);
  norm.state.running_var = filled(1);
  return norm;
}

Neuron& add_neuron(Network& network, const std::string& name, const NeuronSpec& spec,
                   bool shapes_only) {
  Neuron& neuron = network.neurons().emplace_back();
  neuron.name = name;
  neuron.params = spec.params;
  if (spec.params.neuron == kernels::Neuron::kPlif) {
    // k = sigmoid(w) starts at 1/tau.
    neuron.leak_logit =
        (shapes_only ? shape_only({1}) : at::full({1}, -std::log(spec.tau - 1), at::kFloat))
            .set_requires_grad(true);
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

Unit add_unit(Network& network, const UnitSpec& spec, uint64_t seed, bool shapes_only) {
  check_size(network, spec);
  Unit unit;
  unit.synapse = &add_synapse(network, spec, seed, shapes_only);
  if (spec.norm) unit.norm = &add_norm(network, "bn_" + spec.name, spec.shape.cout, shapes_only);
  if (spec.neuron) {
    const std::string kind = neuron_name(spec.neuron->params.neuron);
    unit.neuron = &add_neuron(network, kind + "_" + spec.name, *spec.neuron, shapes_only);
    unit.neuron->maskable = spec.neurons_maskable;
    unit.synapse->drives = unit.neuron;
  }
  return unit;
}

}  // namespace spikenm::nn
