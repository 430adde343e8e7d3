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
  virtual Tensor pool(ops::PoolKind kind, int64_t size, const Tensor& x) = 0;
};

}  // namespace spikenm::nn
