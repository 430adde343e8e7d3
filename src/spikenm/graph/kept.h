// What masks leave of a graph.
#pragma once

#include "spikenm/graph/graph.h"

#include <functional>

namespace spikenm::graph {

// One list per node: the weights of a synapse [Cout,Cin,kh,kw], or the values of any other node
// [C,H,W]. 1 means kept, 0 means dropped. An empty list means that all are kept.
using Kept = std::vector<std::vector<uint8_t>>;

// Nothing is masked.
Kept all_kept(const Graph& graph);

// One list per node: the values [C,H,W] that have an effect. A value has none if all its readers
// are neurons that `kept` drops. Norms, sums and pools in between are not readers themselves: they
// pass the value on. Everything that a synapse reads has an effect, and so have the scores.
Kept useful_values(const Graph& graph, const Kept& kept);

// Calls `visit(window, value)` for each value that each window of a pool covers: both are places in
// [C,H,W] of the pool's output and input.
void for_each_covered(const Pool& pool, const Shape& in, const Shape& out,
                      const std::function<void(size_t, size_t)>& visit);

}  // namespace spikenm::graph
