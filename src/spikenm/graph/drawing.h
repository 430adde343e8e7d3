// A graph as a picture that explains itself.
#pragma once

#include "spikenm/graph/graph.h"

#include <map>

namespace spikenm::graph {

// What the caller knows of nodes beyond the graph: "2:4", "50.0 % kept", "rate 0.12".
struct Annotations {
  std::map<std::string, std::vector<std::string>> notes;  // by the node's name
};

// An SVG document, from top to bottom: a box for each unit (a synapse, and the norm, neurons and
// pool that read nothing else) with its operations, constants, notes and what it gives. Plain
// shapes and text: it loads nothing.
std::string draw_svg(const Graph& graph, const Annotations& annotations = {});

}  // namespace spikenm::graph
