// How a network is wired, found by walking it once: sizes of its layers, and which synapses read
// the spikes of which neurons.
#pragma once

#include "spikenm/nn/network.h"

#include <vector>

namespace spikenm::nn {

struct SynapseTrace {
  Synapse* synapse = nullptr;
  // Maps it reads and writes; 1 x 1 for a linear layer.
  int64_t in_height = 1, in_width = 1, out_height = 1, out_width = 1;
};

struct NeuronTrace {
  Neuron* neuron = nullptr;
  std::vector<int64_t> shape;     // [C,H,W]; [C] behind a linear layer
  std::vector<Synapse*> readers;  // each once, also when a residual sum brings the spikes twice
};

// Both lists in the network's order.
struct NetworkTrace {
  std::vector<SynapseTrace> synapses;
  std::vector<NeuronTrace> neurons;
};

// Pools and sums pass spikes on; a synapse that reads them ends their way. Works for whatever
// Network::forward does with the tensors of a pass.
NetworkTrace trace(Network& network);

}  // namespace spikenm::nn
