// How many of the dense network's connections are left, by UPR's definition.
#pragma once

#include "spikenm/graph/kept.h"
#include "spikenm/sparsity/frozen_masks.h"

#include <string>
#include <vector>

namespace spikenm::sparsity {

struct LayerConnections {
  std::string name;
  double alive = 0, dense = 0;
};

struct Connectivity {
  std::vector<LayerConnections> layers;
  [[nodiscard]] double alive() const;
  [[nodiscard]] double dense() const;
  // 100 where there is nothing to prune.
  [[nodiscard]] double percent() const { return dense() > 0 ? 100 * alive() / dense() : 100; }
};

// The masks as walks over the network's graph read them.
graph::Kept kept_by(const Masks& masks, const graph::Graph& graph);

// What the masks leave, layer by layer (graph/connections.h says what counts). Layers that are not
// maskable are left out.
Connectivity count_connections(const nn::Network& network, const Masks& masks);

}  // namespace spikenm::sparsity
