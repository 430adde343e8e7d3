// The parts of a network that have tensors or hooks: what a graph's synapses, norms and neurons
// are when they run. A layer runs nothing itself; a Pass (pass.h) does.
#pragma once

#include "spikenm/graph/graph.h"
#include "spikenm/nn/hooks.h"
#include "spikenm/ops/batch_norm.h"

#include <string>

namespace spikenm::nn {

struct Neuron;

// A convolution, or a linear layer (flat input, 1x1 weight).
struct Synapse {
  std::string name;  // "conv1", "fc2"
  graph::NodeId node = 0;
  Tensor weight;  // [Cout,Cin,kh,kw]
  Tensor bias;    // [Cout], or undefined: where batch norm follows, it has one
  graph::SynapseGeometry geometry;
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
  graph::NodeId node = 0;
  graph::NeuronParams params;
  Tensor leak_logit;      // of a leak that is learnt, k = sigmoid(w); else undefined
  bool maskable = false;  // neuron pruning may silence neurons of this layer
  SpikeHook* hook = nullptr;
};

}  // namespace spikenm::nn
