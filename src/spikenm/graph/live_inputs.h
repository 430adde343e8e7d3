// How many live inputs the outputs of a synapse find: the inner loops of connections.cpp.
#pragma once

#include "spikenm/graph/graph.h"

namespace spikenm::graph {

// `live` [Cin,H,W] says how much of each input is alive, `keep` [Cout,Cin,kh,kw] which weights are
// kept, `useful` [Cout,H',W'] which outputs count; where one of the last two is empty, all do. The
// result is [Cout,H',W'], 0 where an output does not count.
std::vector<double> live_inputs(const Synapse& synapse, const Shape& in, const Shape& out,
                                const std::vector<double>& live, const std::vector<uint8_t>& keep,
                                const std::vector<uint8_t>& useful);

}  // namespace spikenm::graph
