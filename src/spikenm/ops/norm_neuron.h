// Batch norm and neuron as one differentiable op on a GPU. The unfused twin is batch_norm followed
// by neuron_seq.
#pragma once

#include "spikenm/kernels/norm_neuron.h"
#include "spikenm/kernels/pool.h"
#include "spikenm/ops/batch_norm.h"

namespace spikenm::ops {

// Spikes [T,B,C,...] channels-last, and the same as bits (kernels/spike_bits.h): what a backward
// keeps of them. No bits where no gradient is wanted or the channels are not a multiple of 8.
struct Spikes {
  Tensor values, bits;
};

// Whether a fused kernel serves them: on a GPU, with few enough steps, and no leak that is learnt.
bool can_fuse_norm_neuron(const Tensor& x, int64_t steps, const kernels::NeuronParams& params);

// x [T,B,C,...] of float, bfloat16 or half, or [1,B,C,...], which lasts for all `steps`. `norm` may
// be null. With a `pool` the result is what it makes of the spikes, which themselves never exist
// (can_fuse_pool says where).
Spikes norm_neuron(const Tensor& x, int64_t steps, BatchNormState* norm,
                   const kernels::NeuronParams& params, bool training,
                   const kernels::PoolGeometry* pool = nullptr);
bool can_fuse_pool(const Tensor& x, int64_t steps, const kernels::NeuronParams& params,
                   const kernels::PoolGeometry& pool);

}  // namespace spikenm::ops
