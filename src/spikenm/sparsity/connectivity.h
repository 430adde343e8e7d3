// How many of the dense network's connections are left, by UPR's definition.
#pragma once

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
  [[nodiscard]] double percent() const { return 100 * alive() / dense(); }
};

// Two maps walk the network from an all-ones input [channels,height,width]: which neurons are alive
// under the masks, and the dense reference. A connection counts when its weight and the neuron it
// ends at are kept and its input is alive; padding is no connection; a neuron that is dropped or
// has no live input is dead downstream; an average pool makes fractions. Time steps and data play
// no part. Layers that are not maskable are walked, and not counted.
Connectivity count_connections(nn::Network& network, const Masks& masks, int64_t channels,
                               int64_t height, int64_t width);

}  // namespace spikenm::sparsity
