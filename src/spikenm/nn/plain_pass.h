// The pass that computes with plain tensor operations and torch's own autograd, one time step after
// another: what the fused passes are tested against and timed beside. Only the spike has a
// derivative of ours, the surrogate. Credits are not made.
#pragma once

#include "spikenm/nn/pass.h"

namespace spikenm::nn {

class PlainPass : public Pass {
 public:
  // An input of one step is shown at all `steps`.
  PlainPass(bool training, int64_t steps) : training_(training), steps_(steps) {}

  Tensor synapse(Synapse& layer, const Tensor& x) override;
  Tensor norm(Norm& layer, const Tensor& x) override;
  Tensor neuron(Neuron& layer, const Tensor& x) override;
  Tensor pool(const graph::PoolGeometry& geometry, const Tensor& x) override;

 private:
  // An input of one step, once for each.
  Tensor at_all_steps(const Tensor& x) const;

  bool training_;
  int64_t steps_;
};

}  // namespace spikenm::nn
