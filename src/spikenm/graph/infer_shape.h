// What a node gives, from what it reads.
#pragma once

#include "spikenm/graph/graph.h"

#include <span>

namespace spikenm::graph {

// Fills in a synapse's input channels where they are 0. An Error names the node where the shapes
// do not fit the operation, or its constants make no sense.
Shape infer_shape(const std::string& name, Operation& operation, std::span<const Shape> inputs);

}  // namespace spikenm::graph
