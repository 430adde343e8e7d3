// The optimiser that a config asks for.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/nn/optimizer.h"

namespace spikenm::train {

// Reads optimizer, momentum, nesterov, beta1, beta2, eps and weight_decay from [train].
nn::OptimizerOptions read_optimizer_options(const Config& config);

}  // namespace spikenm::train
