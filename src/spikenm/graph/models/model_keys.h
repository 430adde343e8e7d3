// The keys of [model] and [neuron].
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::graph {

// The keys of [model] that each network reads.
std::vector<KeyGroup> keys_by_model();

inline const PathKey kModelFile{
    "file",
    "a network of your own in a file, in the place of all other keys of [model] and [neuron]"};

// Every key of [model] and [neuron] that is read here.
std::vector<KeyGroup> model_keys();

}  // namespace spikenm::graph
