// Batch norm and neuron as one differentiable op on the CPU. The unfused twin is batch_norm
// followed by neuron_seq.
#pragma once

#include "spikenm/kernels/norm_neuron_cpu.h"
#include "spikenm/ops/batch_norm.h"

namespace spikenm::ops {

// Whether the fused kernel serves them: float on the CPU, and no leak that is learnt.
bool can_fuse_norm_neuron_cpu(const Tensor& x, const kernels::NeuronParams& params);

// x [T,B,C] or [T,B,C,H,W], or [1,B,...], which lasts for all `steps` -> spikes [steps,B,...],
// channels-last. `norm` may be null. In training: statistics of this batch, and the running ones
// move.
Tensor norm_neuron_cpu(const Tensor& x, int64_t steps, BatchNormState* norm,
                       const kernels::NeuronParams& params, bool training);

}  // namespace spikenm::ops
