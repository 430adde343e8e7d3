// The weight & neuron regime: any method, and beside it UPR's neuron masks.
#pragma once

#include "spikenm/sparsity/method.h"

namespace spikenm::sparsity {

// Wraps `weights` when [method] asks for granularity = "weight+neuron", else gives it back.
std::unique_ptr<Method> with_neuron_pruning(std::unique_ptr<Method> weights, nn::Network& network,
                                            const Config& config);

}  // namespace spikenm::sparsity
