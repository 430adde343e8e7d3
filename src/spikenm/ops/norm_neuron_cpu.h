// norm_neuron.h on the CPU.
#pragma once

#include "spikenm/ops/norm_neuron.h"

namespace spikenm::ops {

// x [T,B,C] or [T,B,C,H,W], or [1,B,...] -> spikes [steps,B,...], channels-last.
Tensor norm_neuron_cpu(const Tensor& x, const NormNeuronCall& call);

}  // namespace spikenm::ops
