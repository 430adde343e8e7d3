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

// Where a network with such weights is computed. `compute` is the type of its products on a GPU.
Place place_of(const Tensor& weight, at::ScalarType compute, int64_t steps);

// Whether norm_neuron can run such neurons: their leak is a constant, their state one variable.
bool has_fused_form(const graph::NeuronParams& params);

// What one call can do of norm, neurons and pool.
struct Fusing {
  bool norm_neuron = false;  // the neurons, and the norm before them
  bool pool = false;         // the pool behind them too
  bool bits = false;         // without the pool: the spikes' bits beside their values
};

// For neurons that fill such a map; `pool` may be null.
Fusing fusing(const graph::NeuronParams& params, const Place& place, const graph::Shape& map,
              const graph::PoolGeometry* pool);

// Spikes [T,B,C,...] channels-last, and the same as bits (kernels/spike_bits.h): what a backward
// keeps of them. `bits` may be undefined.
struct Spikes {
  Tensor values, bits;
};

struct NormNeuronCall {
  graph::NeuronParams params;
  BatchNormState* norm = nullptr;  // null: none
  int64_t steps = 1;
  bool training = true;
  bool wants_bits = false;  // where a backward may come; only where Fusing::bits says so
  // [C] float, may be undefined: the mean over steps, samples and places of spike + |v| is added to
  // it, where v is the membrane after the reset. A `pool` must then cover its map.
  Tensor activity = {};
};

// x [T,B,C,...], or [1,B,C,...], which lasts for all steps. On a GPU x is of float, bfloat16 or
// half. With a `pool` the result is what it makes of the spikes, which themselves never exist.
// `fusing` says where this serves.
Spikes norm_neuron(const Tensor& x, const NormNeuronCall& call,
                   const graph::PoolGeometry* pool = nullptr);

}  // namespace spikenm::ops
