// The weight & neuron regime: any method together with UPR's neuron masks.
#pragma once

#include "spikenm/sparsity/method.h"

namespace spikenm::sparsity {

// Wraps `weights` if [method] has granularity = "weight+neuron", else returns it unchanged.
std::unique_ptr<Method> with_neuron_pruning(std::unique_ptr<Method> weights, nn::Network& network,
                                            const Config& config);

}  // namespace spikenm::sparsity
