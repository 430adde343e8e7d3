// The part that every model is built from: a synapse layer, and the norm and neurons that follow
// it.
#pragma once

#include "spikenm/graph/graph.h"

#include <optional>
#include <string>

namespace spikenm::graph {

struct Unit {
  std::string name;  // of the synapse; the other nodes are "bn_<name>" and "<kind>_<name>"
  int64_t out = 0;
  int64_t kernel = 1;
  SynapseGeometry geometry;
  bool norm = true;
  bool bias = false;
  std::optional<Neuron> neuron;  // empty: an analog score
  bool maskable = true;          // the weights may be masked
};

// Adds the unit's nodes after `input` and returns the last of them.
NodeId add_unit(Graph& graph, const Unit& unit, NodeId input);

}  // namespace spikenm::graph
