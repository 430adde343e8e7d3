// The brick every model is built of: a synapse layer, and the norm and neuron that follow it.
#pragma once

#include "spikenm/nn/network.h"

#include <optional>
#include <string>

namespace spikenm::nn {

constexpr size_t kMostLayers = 1000;  // with weights, of a network

// Layers of one network; norm and neuron may be missing.
struct Unit {
  Synapse* synapse = nullptr;
  Norm* norm = nullptr;
  Neuron* neuron = nullptr;

  // `pool`, where there is one, takes the unit's spikes.
  [[nodiscard]] Tensor forward(Pass& pass, const Tensor& x,
                               const ops::PoolGeometry* pool = nullptr) const;
};

struct UnitSpec {
  std::string name;  // of the synapse; the others are "bn_<name>" and "<kind>_<name>"
  nm::WeightShape shape;
  ops::SynapseGeometry geometry;
  bool norm = true;
  bool bias = false;
  std::optional<NeuronSpec> neuron;  // none: an analog score
  bool maskable = true;              // its weights
  bool neurons_maskable = false;
};

// Adds the layers at the end of the network; their first values depend on the seed and on how many
// synapses there are already. With `shapes_only` they have none (ModelSpec). More layers, or more
// weights in one, than any network has are an Error.
Unit add_unit(Network& network, const UnitSpec& spec, uint64_t seed, bool shapes_only = false);

}  // namespace spikenm::nn
