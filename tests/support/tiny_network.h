// Networks small enough to work out by hand: nodes are added with their values, and the network is
// made of them at the end.
#pragma once

#include "spikenm/nn/network.h"
#include "spikenm/nn/run_pass.h"

#include <ATen/ATen.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace spikenm::test {

// Each function adds a node and returns its id; without an `input` the node reads the one before.
// Names of nodes without tensors are made up.
class TinyGraph {
 public:
  using NodeId = graph::NodeId;

  explicit TinyGraph(int64_t channels = 1, int64_t height = 1, int64_t width = 1)
      : graph_("tiny", {channels, height, width}, {"only"}) {}

  NodeId synapse(const std::string& name, const at::Tensor& weight,
                 graph::SynapseGeometry geometry = {}, bool maskable = true) {
    return synapse_of(last(), name, weight, geometry, maskable);
  }
  NodeId synapse_of(NodeId input, const std::string& name, const at::Tensor& weight,
                    graph::SynapseGeometry geometry = {}, bool maskable = true) {
    weights_.push_back(weight);
    const nm::WeightShape shape{weight.size(0), weight.size(1), weight.size(2), weight.size(3)};
    return graph_.add(
        name, graph::Synapse{.shape = shape, .geometry = geometry, .maskable = maskable}, {input});
  }
  NodeId norm(const std::string& name) { return graph_.add(name, graph::Norm{}, {last()}); }
  // Integrate and fire at 1: passes 0 and 1 on as they are.
  NodeId neuron(const std::string& name,
                graph::NeuronParams params = {.neuron = graph::NeuronKind::kIf},
                bool maskable = false) {
    return graph_.add(name, graph::Neuron{.params = params, .maskable = maskable}, {last()});
  }
  NodeId pool(graph::PoolKind kind) { return add("pool", graph::Pool{.kind = kind}, {last()}); }
  NodeId sum(std::vector<NodeId> inputs) { return add("sum", graph::Sum{}, std::move(inputs)); }
  NodeId flatten() { return add("flatten", graph::Flatten{}, {last()}); }
  NodeId vote(int64_t voters) { return add("vote", graph::Vote{.voters = voters}, {last()}); }

  [[nodiscard]] NodeId last() const { return graph_.nodes().size() - 1; }

  // The network with the given weights. Its last node need not give scores.
  [[nodiscard]] std::unique_ptr<nn::Network> make() const {
    auto network = std::make_unique<nn::Network>(graph_);
    for (size_t i = 0; i < weights_.size(); ++i)
      network->synapses()[i].weight = weights_[i].clone().set_requires_grad(true);
    return network;
  }

 private:
  NodeId add(const std::string& kind, const graph::Operation& operation,
             std::vector<NodeId> inputs) {
    return graph_.add(kind + std::to_string(graph_.nodes().size()), operation, std::move(inputs));
  }

  graph::Graph graph_;
  std::vector<at::Tensor> weights_;
};

inline at::Tensor floats(const std::vector<float>& values, at::IntArrayRef shape) {
  return at::tensor(values).view(shape);
}

}  // namespace spikenm::test
