// How large the maps between a network's layers are, found without computing one.
#pragma once

#include "spikenm/nn/network.h"

#include <string>

namespace spikenm::nn {

struct LargestMap {
  std::string layer;   // the synapse that writes it; "the input" where that is larger
  int64_t values = 0;  // of one sample at one time step
};

// The network may be one of shapes only (ModelSpec::shapes_only).
LargestMap largest_map(Network& network);

}  // namespace spikenm::nn
