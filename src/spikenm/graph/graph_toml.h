// A graph as TOML: the form in which people read and write it. The keys are those of
// graph_json.h; each node is a [[node]].
#pragma once

#include "spikenm/graph/graph.h"

#include <filesystem>
#include <string_view>

namespace spikenm::graph {

// What reading fills in is left out; from_toml gives the same graph again.
std::string to_toml(const Graph& graph);

// `source` names the text in messages.
Graph from_toml(std::string_view text, const std::string& source);

// A file that ends in .toml or .json.
Graph read_graph(const std::filesystem::path& path);

}  // namespace spikenm::graph
