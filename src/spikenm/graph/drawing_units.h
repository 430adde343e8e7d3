// The content of the boxes of a drawing.
#pragma once

#include "spikenm/graph/drawing.h"

namespace spikenm::graph {

// Nodes that share a box.
struct DrawnUnit {
  NodeId head = 0;                 // the first of the nodes
  std::string title, kind, shape;  // the head's name and operation; the last node's shape
  std::vector<std::string> lines;  // the operations and their constants
  std::vector<std::string> notes;
  std::vector<size_t> inputs;  // units that it reads, each once
};

// In forward order; the first is the input.
std::vector<DrawnUnit> drawn_units(const Graph& graph, const Annotations& annotations);

}  // namespace spikenm::graph
