// An operation and its constants, as a file holds them.
#pragma once

#include "spikenm/graph/file_table.h"
#include "spikenm/graph/graph.h"

namespace spikenm::graph {

// {"op": "synapse", "out": 64, …}: every constant, also those with their default value.
Json operation_to_json(const Operation& operation);

// Reads "op" and the constants that belong to it. A constant that is left out has its default.
Operation parse_operation(FileTable& table);

// The keys that are always written, because they tell what a node is. Other keys are left out when
// they have their defaults.
const std::vector<std::string>& keys_always_written();

}  // namespace spikenm::graph
