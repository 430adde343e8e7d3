// The pass that computes with plain tensor operations and torch's own autograd, one time step after
// another: what the fused passes are tested against and timed beside. Only the spike has a
// derivative of ours, the surrogate. Credits are not made. It computes in the type of its input: in
// double it is what rounding is measured against.
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

 protected:
  // The spikes of a step, which reset the membranes; `above` is how far these are above their
  // threshold.
  virtual Tensor fire(const Neuron& layer, int64_t step, const Tensor& above);

 private:
  // An input of one step, once for each.
  Tensor at_all_steps(const Tensor& x) const;

  bool training_;
  int64_t steps_;
};

}  // namespace spikenm::nn
