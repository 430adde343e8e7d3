// A graph as TOML: the form that people read and write. The keys are those of
// graph_json.h; each node is a [[node]].
#pragma once

#include "spikenm/graph/graph.h"

#include <filesystem>
#include <string_view>

namespace spikenm::graph {

// Constants that reading fills in are left out; from_toml returns the same graph.
std::string to_toml(const Graph& graph);

// `source` names the text in messages.
Graph from_toml(std::string_view text, const std::string& source);

// A file that ends in .toml or .json.
Graph read_graph_file(const std::filesystem::path& path);

}  // namespace spikenm::graph
