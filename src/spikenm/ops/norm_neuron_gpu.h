// norm_neuron.h on a GPU.
#pragma once

#include "spikenm/ops/norm_neuron.h"

namespace spikenm::ops {

Spikes norm_neuron_gpu(const Tensor& x, const NormNeuronCall& call,
                       const graph::PoolGeometry* pool);

}  // namespace spikenm::ops
