// Refuses networks whose maps this machine cannot hold.
#pragma once

#include "spikenm/graph/graph.h"

#include <string>
#include <string_view>

namespace spikenm::train {

// `maps`: how many of its largest map are in memory at once. That may take half of the memory: the
// map that the next layer makes of it needs room too. An Error names `source`, the layer and the
// remedy.
void check_map_memory(const graph::Graph& graph, int64_t maps, const std::string& source,
                      std::string_view remedy);

}  // namespace spikenm::train
