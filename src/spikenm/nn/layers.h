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
  const graph::Synapse* spec = nullptr;  // what the graph says of it: geometry, maskable or not
  Tensor weight;                         // [Cout,Cin,kh,kw]
  Tensor bias;  // [Cout], or undefined: where batch norm follows, it has one
  at::ScalarType compute = at::kFloat;  // of the products on a GPU; the weight itself stays float
  // The neuron layer that alone reads its output; null where others do too, or where it is an
  // analog score.
  const Neuron* drives = nullptr;
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
  const graph::Neuron* spec = nullptr;  // what the graph says of it: constants, maskable or not
  Tensor leak_logit;                    // of a leak that is learnt, k = sigmoid(w); else undefined
  SpikeHook* hook = nullptr;
};

}  // namespace spikenm::nn
