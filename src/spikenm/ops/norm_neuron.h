// Batch norm and neurons, and the pool that reads them, as one differentiable op. The unfused twin
// is batch_norm, neuron_seq and pool one after the other.
#pragma once

#include "spikenm/graph/graph.h"
#include "spikenm/ops/batch_norm.h"

namespace spikenm::ops {

// Where and for how many time steps something is computed.
struct Place {
  at::Device device;
  at::ScalarType type = at::kFloat;  // of activations
  int64_t steps = 1;
  bool operator==(const Place&) const = default;
};

// What one call can do of norm, neurons and pool.
struct Fusing {
  bool norm_neuron = false;  // the neurons, and the norm before them
  bool pool = false;         // the pool behind them too
};

// For neurons that fill such a map; `pool` may be null. Neurons that learn their leak or have more
// than one state variable are never fused.
Fusing fusing(const graph::NeuronParams& params, const Place& place, const graph::Shape& map,
              const graph::PoolGeometry* pool);

// Spikes [T,B,C,...] channels-last, and the same as bits (kernels/spike_bits.h): what a backward
// keeps of them. Bits are on a GPU alone, and not where no gradient is wanted or the channels are
// not a multiple of 8.
struct Spikes {
  Tensor values, bits;
};

struct NormNeuronCall {
  graph::NeuronParams params;
  BatchNormState* norm = nullptr;  // null: none
  int64_t steps = 1;
  bool training = true;
};

// x [T,B,C,...], or [1,B,C,...], which lasts for all steps. On a GPU x is of float, bfloat16 or
// half. With a `pool` the result is what it makes of the spikes, which themselves never exist.
// `fusing` says where this serves.
Spikes norm_neuron(const Tensor& x, const NormNeuronCall& call,
                   const graph::PoolGeometry* pool = nullptr);

}  // namespace spikenm::ops
