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

// What a network is shown at each time step.
struct FrameShape {
  int64_t channels = 0, height = 0, width = 0;
};

class Network {
 public:
  virtual ~Network() = default;

  // x [T,B,C,H,W] -> class scores [T,B,K].
  [[nodiscard]] virtual Tensor forward(Pass& pass, const Tensor& x) = 0;

  [[nodiscard]] const FrameShape& frame() const { return frame_; }

  // Layers in forward order; addresses stay good for the network's life.
  std::deque<Synapse>& synapses() { return synapses_; }
  std::deque<Norm>& norms() { return norms_; }
  std::deque<Neuron>& neurons() { return neurons_; }

  // Moves every tensor, before anyone else holds one. `compute` is the type of products on a GPU.
  void move_to(const at::Device& device, at::ScalarType compute);
  [[nodiscard]] at::Device device() const { return synapses_.front().weight.device(); }

  // What training changes by gradient, and what it changes otherwise (running statistics).
  [[nodiscard]] std::vector<NamedTensor> parameters() const;
  [[nodiscard]] std::vector<NamedTensor> buffers() const;

 protected:
  FrameShape frame_;
  std::deque<Synapse> synapses_;
  std::deque<Norm> norms_;
  std::deque<Neuron> neurons_;
};

// Mean over groups of `voters` consecutive outputs: [T,B,K*voters] -> [T,B,K].
Tensor vote(const Tensor& x, int64_t voters);

// Mean over a whole map, square or not: [T,B,C,H,W] -> [T,B,C]. Plain arithmetic like a residual
// sum, so every pass walks it alike.
Tensor global_average(const Tensor& x);

}  // namespace spikenm::nn
