// A stored network as the list of steps that run it. What can be one call is one: a synapse, the
// norms behind it and the neurons behind those. Sums and means of spikes are no steps at all: who
// reads them adds the spikes up at their places.
//
//   conv1 ─ bn1 ─ fire1 ─ pool(average) ─ conv2 ─ …        steps: layer(conv1,bn1,fire1),
//   └──── one layer ───┘ └─ read through ─┘                        layer(conv2,…), …
#pragma once

#include "spikenm/kernels/spike_layer.h"
#include "spikenm/runtime/stored_model.h"

#include <optional>
#include <vector>

namespace spikenm::runtime {

using graph::NodeId;

// How the values of a node exist while a network runs.
enum class Form {
  kReal,  // floats [samples, steps, pixels, channels]; a row is one pixel
  kBits,  // spikes as bits [samples, steps, pixels, words]
  kSum,   // not at all: unit * the sum of spikes at its sources
};

// Maps of bits of one node. An average pool has several: bit l of a place says whether more than l of
// its window's neurons fired, so that few places have more than two.
struct MapLevel {
  NodeId node = 0;
  int64_t level = 0;
  friend bool operator==(const MapLevel&, const MapLevel&) = default;
};

// Where the spikes of a node that is a sum come from. A node of bits has itself as its only source.
struct Sources {
  int64_t height = 1, width = 1, channels = 1;  // of the map; flattening leaves it as it is
  bool flattened = false;                       // the node is a row, channel by channel
  double unit = 1;                              // what a spike counts
  std::vector<MapLevel> maps;
  std::vector<int32_t> begin{0};           // [pixels + 1]
  std::vector<kernels::SpikeSource> list;  // `map` is a place in `maps`

  // Sources of the pixel that has most.
  [[nodiscard]] int64_t most() const;

  // The same as a rule, where there is one: a plain map, or pools of one size; else empty.
  std::vector<kernels::RegularSource> regular;
  int64_t regular_row = 0, regular_column = 0;
  void find_regular();
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
    kPoolLevels,
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
