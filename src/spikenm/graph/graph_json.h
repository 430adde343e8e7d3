// A graph as JSON: the form that programs use.
//
//   {"format": "spikenm-graph", "version": 1, "name": "small_conv", "frame": [2,34,34],
//    "classes": ["0", …],
//    "node": [{"name": "conv1", "op": "synapse", "inputs": ["input"], "out": 16, "kernel": 3, …},
//    …]}
//
// The input is not listed: it is called "input". A node reads only nodes above it.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/graph/graph.h"

namespace spikenm::graph {

constexpr const char* kGraphFormat = "spikenm-graph";
constexpr int64_t kGraphVersion = 1;

// The whole graph: graph_from_json returns the same graph. Throws an Error when the name of a class
// is not UTF-8, which JSON cannot hold.
Json graph_to_json(const Graph& graph);

// A node without "inputs" reads the node before it, and constants that are left out have the
// defaults of configs. Anything other than a whole graph is an Error that begins with `source`.
Graph graph_from_json(const Json& json, const std::string& source);

}  // namespace spikenm::graph
