// What a .snm file holds: a trained network ready to run, as plain numbers.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/graph/graph.h"
#include "spikenm/runtime/synapse_tensor.h"

#include <map>
#include <string>
#include <vector>

namespace spikenm::runtime {

// A norm as it is when a network runs: scale * x + shift, by channel.
struct FoldedNorm {
  std::vector<float> scale, shift;  // [channels]
};

// How a sample becomes the network's input.
struct InputEncoding {
  bool events = true;             // frames of events, one for each step; else one image
  std::vector<double> mean, std;  // of pixels in 0..1, by channel; empty: not normalised
  bool frames_by_time = false;    // recordings are cut by time, not by number of events
  bool binary = false;            // 0/1 instead of counts
  int64_t resize = 0;             // side of the frames after a resize; 0: none
};

struct StoredModel {
  graph::Graph graph;
  int64_t steps = 1;  // time steps of a sample
  InputEncoding input;
  Json provenance = Json::object();  // where it comes from: config hash, accuracy, seed, commit

  // By node.
  std::map<graph::NodeId, SynapseTensor> synapses;             // every synapse
  std::map<graph::NodeId, FoldedNorm> norms;                   // every norm
  std::map<graph::NodeId, double> leaks;                       // k of learnt leaks
  std::map<graph::NodeId, std::vector<uint8_t>> neuron_masks;  // bytes 0/1 [C,H,W]
  std::map<graph::NodeId, double> rates;  // recorded share of neurons that fire, where known
};

// The neuron's constants with its learnt leak, if it has one.
graph::NeuronParams neuron_params(const StoredModel& model, graph::NodeId neuron);

// Of the values of all weights, and of the bits that stand for them, as they are stored.
int64_t weight_bytes(const StoredModel& model);

}  // namespace spikenm::runtime
