// A network whose channels may be dropped, small enough to work out by hand.
#pragma once

#include "support/tiny_network.h"

namespace spikenm::test {

inline std::vector<float> values(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().flatten().to(at::kFloat).contiguous();
  return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}

// conv1 (1 -> 3 channels) and conv2 (3 -> 2), a norm and neurons behind each, and fc (2 -> 1).
inline std::unique_ptr<nn::Network> two_channel_layers() {
  TinyGraph graph;
  graph.synapse("conv1", at::ones({3, 1, 1, 1}));
  graph.norm("norm1");
  graph.neuron("neuron1");
  graph.synapse("conv2", at::ones({2, 3, 1, 1}));
  graph.norm("norm2");
  graph.neuron("neuron2");
  graph.synapse("fc", at::ones({1, 2, 1, 1}));
  return graph.make();
}

}  // namespace spikenm::test
