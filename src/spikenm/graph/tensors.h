// The tensors of a network's layers: what a file with its weights must hold.
#pragma once

#include "spikenm/graph/graph.h"

#include <string>
#include <vector>

namespace spikenm::graph {

struct TensorShape {
  std::string name;  // "conv1.weight"
  std::vector<int64_t> sizes;
};

// What training changes by gradient, and then what it changes otherwise (running statistics); in
// each the synapses, norms and neurons in forward order.
std::vector<TensorShape> tensors(const Graph& graph);

}  // namespace spikenm::graph
