// What masks leave of a graph.
#pragma once

#include "spikenm/graph/graph.h"

#include <functional>

namespace spikenm::graph {

// By node: the weights of a synapse [Cout,Cin,kh,kw], or the values of any other node [C,H,W]; 1
// where one is kept, 0 where it is not. An empty list: all are kept.
using Kept = std::vector<std::vector<uint8_t>>;

// Nothing is masked.
Kept all_kept(const Graph& graph);

// By node: the values [C,H,W] that matter to somebody who reads them. A value is not among them
// where neurons alone read it, through norms, sums, pools and the like, and `kept` drops them all.
// Synapses read everything, and so does whoever takes the scores.
Kept useful_values(const Graph& graph, const Kept& kept);

// Calls `visit(window, value)` for each value that each window of a pool covers: both are places in
// [C,H,W] of the pool's output and input.
void for_each_covered(const Pool& pool, const Shape& in, const Shape& out,
                      const std::function<void(size_t, size_t)>& visit);

}  // namespace spikenm::graph
