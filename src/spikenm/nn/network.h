// A spiking network: its layers, and how a pass walks them.
#pragma once

#include "spikenm/nn/pass.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace spikenm::nn {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

class Network {
 public:
  virtual ~Network() = default;

  // x [T,B,C,H,W] -> class scores [T,B,K].
  [[nodiscard]] virtual Tensor forward(Pass& pass, const Tensor& x) = 0;

  // Layers in forward order; addresses stay good for the network's life.
  std::deque<Synapse>& synapses() { return synapses_; }
  std::deque<Norm>& norms() { return norms_; }
  std::deque<Neuron>& neurons() { return neurons_; }

  // What training changes by gradient, and what it changes otherwise (running statistics).
  [[nodiscard]] std::vector<NamedTensor> parameters() const;
  [[nodiscard]] std::vector<NamedTensor> buffers() const;

 protected:
  std::deque<Synapse> synapses_;
  std::deque<Norm> norms_;
  std::deque<Neuron> neurons_;
};

// Mean over groups of `voters` consecutive outputs: [T,B,K*voters] -> [T,B,K].
Tensor vote(const Tensor& x, int64_t voters);

}  // namespace spikenm::nn
