// Batch norm and neuron as one differentiable op on a GPU. The unfused twin is batch_norm followed
// by neuron_seq.
#pragma once

#include "spikenm/kernels/norm_neuron.h"
#include "spikenm/ops/batch_norm.h"

namespace spikenm::ops {

// Whether a fused kernel serves them: on a GPU, with few enough steps, and no leak that is learnt.
bool can_fuse_norm_neuron(const Tensor& x, const kernels::NeuronParams& params);

// x [T,B,C,...] of float, bfloat16 or half -> spikes of the same shape and type, channels-last.
// `norm` may be null.
Tensor norm_neuron(const Tensor& x, BatchNormState* norm, const kernels::NeuronParams& params,
                   bool training);

}  // namespace spikenm::ops
