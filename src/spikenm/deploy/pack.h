// A trained network as plain numbers, and the .snm file that is made of it. No torch: what the
// trainer holds in tensors comes here as floats (exporter.h), and so does a model file
// (trained_file.h).
#pragma once

#include "spikenm/nm/mask_rule.h"
#include "spikenm/runtime/stored_model.h"

#include <map>
#include <string>
#include <vector>

namespace spikenm::deploy {

struct Trained {
  graph::Graph graph;
  int64_t steps = 1;  // time steps of a sample
  runtime::InputEncoding input;
  uint64_t seed = 0;
  std::string data, method;  // their names

  // Every tensor of graph::tensors, by its name.
  std::map<std::string, std::vector<float>> tensors;
  // By node: synapses that have a mask, and neurons that have one.
  std::map<graph::NodeId, nm::Mask> masks;
  std::map<graph::NodeId, std::vector<uint8_t>> neuron_masks;  // bytes 0/1 [C,H,W]
};

// What is stored: graph, masked weights, folded norms, leaks, neuron masks, the encoding of the
// data and where the model comes from. Layers that read spikes have weights of `type`; those that
// read real values stay floats.
runtime::StoredModel pack(const Trained& trained, runtime::WeightType type);

}  // namespace spikenm::deploy
