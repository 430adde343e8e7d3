// A graph as a picture that needs no further explanation.
#pragma once

#include "spikenm/graph/graph.h"

#include <map>

namespace spikenm::graph {

// What the caller knows about nodes that is not in the graph: "2:4", "50.0 % kept", "rate 0.12".
struct Annotations {
  std::map<std::string, std::vector<std::string>> notes;  // by the node's name
};

// An SVG document, from top to bottom: a box for each unit (a synapse, and the norm, neurons and
// pool that read nothing else) with its operations, constants, notes and output shape. It has plain
// shapes and text and loads no other file.
std::string draw_svg(const Graph& graph, const Annotations& annotations = {});

}  // namespace spikenm::graph
