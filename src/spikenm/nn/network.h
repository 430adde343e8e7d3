// A spiking network: a graph, and the tensors of its layers.
#pragma once

#include "spikenm/nn/layers.h"
#include "spikenm/nn/plan.h"
#include "spikenm/nn/state.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace spikenm::nn {

class Pass;

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

class Network {
 public:
  // The first values depend on the seed.
  explicit Network(graph::Graph graph, uint64_t seed = 0);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // x [T,B,C,H,W] -> class scores [T,B,K].
  [[nodiscard]] Tensor forward(Pass& pass, const Tensor& x);

  [[nodiscard]] const graph::Graph& graph() const { return graph_; }
  [[nodiscard]] const graph::FrameShape& frame() const { return graph_.frame(); }

  // Layers in forward order; addresses stay good for the network's life.
  std::deque<Synapse>& synapses() { return synapses_; }
  std::deque<Norm>& norms() { return norms_; }
  std::deque<Neuron>& neurons() { return neurons_; }
  [[nodiscard]] const std::deque<Synapse>& synapses() const { return synapses_; }

  // The layer of a node of that kind.
  Synapse& synapse(graph::NodeId node) { return synapses_[place_[node]]; }
  Norm& norm(graph::NodeId node) { return norms_[place_[node]]; }
  Neuron& neuron(graph::NodeId node) { return neurons_[place_[node]]; }

  // How the graph runs where its weights are, for this number of time steps; kept until one of
  // them changes.
  const Plan& plan(int64_t steps);

  // Moves every tensor, before anyone else holds one. `compute` is the type of products on a GPU.
  void move_to(const at::Device& device, at::ScalarType compute);
  [[nodiscard]] at::Device device() const { return synapses_.front().weight.device(); }

  // What training changes by gradient, and what it changes otherwise (running statistics):
  // graph::tensors, with their values.
  [[nodiscard]] std::vector<NamedTensor> parameters() const;
  [[nodiscard]] std::vector<NamedTensor> buffers() const;
  // Both of them.
  void visit_state(StateVisitor& visitor) const;

 private:
  graph::Graph graph_;
  std::vector<size_t> place_;  // of each node's layer in its list
  std::deque<Synapse> synapses_;
  std::deque<Norm> norms_;
  std::deque<Neuron> neurons_;
  std::optional<Plan> plan_;
};

}  // namespace spikenm::nn
