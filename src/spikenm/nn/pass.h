// What is done at the nodes of a network's graph: RunPass computes, fused where it can be,
// PlainPass computes plainly, others count.
#pragma once

#include "spikenm/nn/network.h"

namespace spikenm::nn {

class Pass {
 public:
  virtual ~Pass() = default;

  // Walks the graph node by node. x [T,B,C,H,W] -> [T,B,K].
  virtual Tensor run(Network& network, const Tensor& x);

  // All tensors are [T,B,...].
  virtual Tensor synapse(Synapse& layer, const Tensor& x) = 0;
  virtual Tensor norm(Norm& layer, const Tensor& x) = 0;
  virtual Tensor neuron(Neuron& layer, const Tensor& x) = 0;
  virtual Tensor pool(const graph::PoolGeometry& geometry, const Tensor& x) = 0;

 protected:
  // The value of a node from those of its inputs.
  Tensor compute(Network& network, graph::NodeId node, const std::vector<Tensor>& inputs);
};

}  // namespace spikenm::nn
