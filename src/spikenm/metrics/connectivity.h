// Conn %, as the other metrics name it; pruning steers by it, so it lives below them.
#pragma once

#include "spikenm/sparsity/connectivity.h"

namespace spikenm::metrics {

using sparsity::Connectivity;
using sparsity::count_connections;
using sparsity::LayerConnections;

}  // namespace spikenm::metrics
