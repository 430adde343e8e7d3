// What stands in the boxes of a drawing.
#pragma once

#include "spikenm/graph/drawing.h"

namespace spikenm::graph {

// Nodes that share a box.
struct DrawnUnit {
  NodeId head = 0;                 // the first of them
  std::string title, kind, shape;  // its name, what it does, what the last of them gives
  std::vector<std::string> lines;  // the operations and their constants
  std::vector<std::string> notes;
  std::vector<size_t> inputs;  // units that it reads, each once
};

// In forward order; the first is the input.
std::vector<DrawnUnit> drawn_units(const Graph& graph, const Annotations& annotations);

}  // namespace spikenm::graph
