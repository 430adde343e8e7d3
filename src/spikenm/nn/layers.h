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

// A convolution, or a linear layer (flat input, 1x1 weight). Never a bias: batch norm has one.
struct Synapse {
  std::string name;  // "conv1", "fc2"
  Tensor weight;     // [Cout,Cin,kh,kw]
  ops::SynapseGeometry geometry;
  bool maskable = true;
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
  Tensor leak_logit;  // PLIF's learnt w, else undefined
  SpikeHook* hook = nullptr;
};

struct NeuronSpec {
  kernels::NeuronParams params;
  double tau = 2;
};

// A network-wide neuron from its config section: name, tau, threshold, reset, ….
NeuronSpec read_neuron_spec(const Config& config);
std::string neuron_name(kernels::Neuron neuron);

// Kaiming normal, mode fan_out, gain of a rectifier: std = sqrt(2 / (Cout kh kw)). The values
// depend on (seed, index) alone.
Tensor kaiming_weight(const nm::WeightShape& shape, uint64_t seed, uint32_t index);

}  // namespace spikenm::nn
