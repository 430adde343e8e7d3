// What a network's weights are before training. The values depend on (seed, index) alone, `index`
// being the synapse's place in the network.
#pragma once

#include "spikenm/nm/grouping.h"

#include <ATen/core/Tensor.h>

namespace spikenm::nn {

// Kaiming normal, mode fan_out, gain of a rectifier: std = sqrt(2 / (Cout kh kw)).
at::Tensor kaiming_weight(const nm::WeightShape& shape, uint64_t seed, uint32_t index);
// [Cout], uniform within +-1/sqrt(Cin kh kw).
at::Tensor uniform_bias(const nm::WeightShape& shape, uint64_t seed, uint32_t index);

}  // namespace spikenm::nn
