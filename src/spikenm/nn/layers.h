// The parts of a network: parameters and what a pass needs to know of them. A layer runs nothing
// itself; a Pass (pass.h) does, so that training, counting connections and counting operations walk
// one graph.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/kernels/neuron_seq.h"
#include "spikenm/nm/grouping.h"
#include "spikenm/nn/hooks.h"
#include "spikenm/ops/batch_norm.h"
#include "spikenm/ops/pool.h"

#include <string>

namespace spikenm::nn {

struct Neuron;

// A convolution, or a linear layer (flat input, 1x1 weight).
struct Synapse {
  std::string name;  // "conv1", "fc2"
  Tensor weight;     // [Cout,Cin,kh,kw]
  Tensor bias;       // [Cout], or undefined: where batch norm follows, it has one
  ops::SynapseGeometry geometry;
  at::ScalarType compute = at::kFloat;  // of the products on a GPU; the weight itself stays float
  bool maskable = true;                 // false: a readout that is neither masked nor counted
  const Neuron* drives = nullptr;  // the neuron layer its output goes to; null for an analog score
  WeightHook* hook = nullptr;

  [[nodiscard]] nm::WeightShape shape() const {
    return {weight.size(0), weight.size(1), weight.size(2), weight.size(3)};
  }
};

struct Norm {
  std::string name;
  ops::BatchNormState state;
};

struct Neuron {
  std::string name;
  kernels::NeuronParams params;
  Tensor leak_logit;      // PLIF's learnt w, else undefined
  bool maskable = false;  // neuron pruning may silence neurons of this layer
  SpikeHook* hook = nullptr;
};

struct NeuronSpec {
  kernels::NeuronParams params;
  double tau = 2;
};

// A network-wide neuron from its config section: name, tau, threshold, reset, ….
NeuronSpec read_neuron_spec(const Config& config);
// The same neuron of the kind that `key` names, or of kind `fallback`.
NeuronSpec read_neuron_kind(const Config& config, const std::string& key,
                            const std::string& fallback, NeuronSpec spec);
std::string neuron_name(kernels::Neuron neuron);
// Whether it has a time constant.
bool neuron_leaks(kernels::Neuron neuron);

// Kaiming normal, mode fan_out, gain of a rectifier: std = sqrt(2 / (Cout kh kw)). The values
// depend on (seed, index) alone.
Tensor kaiming_weight(const nm::WeightShape& shape, uint64_t seed, uint32_t index);
// [Cout], uniform within +-1/sqrt(Cin kh kw).
Tensor uniform_bias(const nm::WeightShape& shape, uint64_t seed, uint32_t index);

}  // namespace spikenm::nn
