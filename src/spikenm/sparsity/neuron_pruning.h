// The weight & neuron regime: UPR's neuron masks beside any method that masks weights.
#pragma once

#include "spikenm/sparsity/method.h"

namespace spikenm::sparsity {

// Null unless [method] has granularity = "weight+neuron" or "neuron". `weights` must outlive it: how many
// connections are alive depends on its masks too.
std::unique_ptr<Method> make_neuron_pruning(const Method& weights, nn::Network& network,
                                            const Config& config);

}  // namespace spikenm::sparsity
