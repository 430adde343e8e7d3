// What a network does with its layers, step by step. RunPass computes; the metrics walk the same
// graph to count connections, so a residual sum or a pool is written once, in the model.
#pragma once

#include "spikenm/nn/layers.h"

namespace spikenm::nn {

class Pass {
 public:
  virtual ~Pass() = default;
  // All tensors are [T,B,...].
  virtual Tensor synapse(Synapse& layer, const Tensor& x) = 0;
  virtual Tensor norm(Norm& layer, const Tensor& x) = 0;
  virtual Tensor neuron(Neuron& layer, const Tensor& x) = 0;
  // Both, or the neuron alone where `norm` is null: a pass may fuse them.
  virtual Tensor norm_neuron(Norm* norm_layer, Neuron& layer, const Tensor& x) {
    return neuron(layer, norm_layer != nullptr ? norm(*norm_layer, x) : x);
  }
  virtual Tensor pool(const ops::PoolGeometry& geometry, const Tensor& x) = 0;
  // The same, and a pool of the spikes.
  virtual Tensor norm_neuron_pool(Norm* norm_layer, Neuron& layer,
                                  const ops::PoolGeometry& geometry, const Tensor& x) {
    return pool(geometry, norm_neuron(norm_layer, layer, x));
  }
};

}  // namespace spikenm::nn
