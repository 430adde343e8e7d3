// An operation and its constants, as a file has them.
#pragma once

#include "spikenm/graph/file_table.h"
#include "spikenm/graph/graph.h"

namespace spikenm::graph {

// {"op": "synapse", "out": 64, …}: every constant, those that have their default too.
Json operation_to_json(const Operation& operation);

// Reads "op" and the constants that belong to it. What is left out has its default.
Operation read_operation(FileTable& table);

// The keys whose values readers of a file want to see, default or not: the others follow from them
// where they have their defaults.
const std::vector<std::string>& telling_keys();

}  // namespace spikenm::graph
