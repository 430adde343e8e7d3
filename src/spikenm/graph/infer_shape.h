// The output shape of a node, from the shapes of its inputs.
#pragma once

#include "spikenm/graph/graph.h"

#include <span>

namespace spikenm::graph {

// Sets a synapse's input channels if they are 0. An Error names the node when the shapes do not fit
// the operation, or its constants are invalid.
Shape infer_shape(const std::string& name, Operation& operation, std::span<const Shape> inputs);

}  // namespace spikenm::graph
