// A stored network as the list of steps that run it. What can be one call is one: a synapse, the
// norms behind it and the neurons behind those. Sums and means of spikes are no steps at all: who
// reads them adds the spikes up at their places.
//
//   conv1 ─ bn1 ─ fire1 ─ pool(average) ─ conv2 ─ …        steps: layer(conv1,bn1,fire1),
//   └──── one layer ───┘ └─ read through ─┘                        layer(conv2,…), …
#pragma once

#include "spikenm/runtime/sources.h"
#include "spikenm/runtime/stored_model.h"

#include <optional>
#include <vector>

namespace spikenm::runtime {

// How the values of a node exist while a network runs.
enum class Form {
  kReal,  // floats [samples, steps, pixels, channels]; a row is one pixel
  kBits,  // spikes as bits [samples, steps, pixels, words]
  kSum,   // not at all: unit * the sum of spikes at its sources
};

// A synapse with what follows it, as a convolution over a map.
struct Layer {
  NodeId synapse = 0, input = 0;  // `input`: the node that it reads
  NodeId out = 0;                 // whose values it gives
  std::vector<NodeId> norms;      // between synapse and neurons
  std::optional<NodeId> neurons;
  bool reads_spikes = false;
  int64_t channels = 1, height = 1, width = 1;  // of the map it reads
  kernels::LayerWindow window;
  std::vector<float> scale, shift;  // [blocks * 64]: the neurons' input is scale * sum + shift
};

struct Step {
  enum class Kind {
    kLayer,
    kExpand,
    kNorm,
    kNeuron,
    kPool,
    kPoolBits,
    kPoolPlanes,
    kSum,
    kFlatten,
    kMean,
    kVote
  };
  Kind kind;
  NodeId node;       // whose values it gives; kExpand: as floats beside its bits
  size_t layer = 0;  // kLayer: which
};

struct Program {
  std::vector<Form> forms;       // by node
  std::vector<bool> expanded;    // by node: has floats too
  std::vector<bool> constant;    // by node: the same at every step where the input is an image
  std::vector<Sources> sources;  // by node; empty for real ones
  std::vector<Layer> layers;
  std::vector<Step> steps;  // in forward order
};

Program make_program(const StoredModel& model);

}  // namespace spikenm::runtime
