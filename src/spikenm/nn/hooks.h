// Where a method reaches into a network: identity unless someone installs a mask.
#pragma once

#include "spikenm/ops/synapse.h"

#include <memory>

namespace spikenm::nn {

using at::Tensor;

// Called by every forward of a synapse layer.
class WeightHook {
 public:
  virtual ~WeightHook() = default;
  // The weight the layer uses; differentiable in `weight`.
  virtual Tensor effective(const Tensor& weight) = 0;
  // Where the backward leaves the weight's credit, or null.
  virtual std::shared_ptr<ops::CreditSink> credit() { return nullptr; }
};

// Called by every forward of a neuron layer.
class SpikeHook {
 public:
  virtual ~SpikeHook() = default;
  virtual Tensor effective(const Tensor& spikes) = 0;  // [T,B,...]
  // False: effective() returns what it gets, and need not be called.
  [[nodiscard]] virtual bool changes() const { return true; }
  // What a training forward adds the activity of every channel to (ops::NormNeuronCall), at the same
  // memory in every step; undefined: not wanted.
  [[nodiscard]] virtual Tensor activity() const { return {}; }
};

}  // namespace spikenm::nn
