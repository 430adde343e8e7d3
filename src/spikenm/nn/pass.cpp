#include "spikenm/nn/pass.h"

#include "spikenm/core/error.h"
#include "spikenm/graph/walks.h"
#include "spikenm/ops/flatten.h"
#include "spikenm/ops/readout.h"

#include <ATen/ATen.h>

namespace spikenm::nn {
namespace {

Tensor sum(const std::vector<Tensor>& inputs) {
  Tensor total = inputs[0] + inputs[1];
  for (size_t i = 2; i < inputs.size(); ++i) total = total + inputs[i];
  return total;
}

}  // namespace

Tensor Pass::compute(Network& network, graph::NodeId id, const std::vector<Tensor>& inputs) {
  const graph::Node& node = network.graph().node(id);
  const Tensor& x = inputs[0];
  if (node.as<graph::Synapse>() != nullptr) return synapse(network.synapse(id), x);
  if (node.as<graph::Norm>() != nullptr) return norm(network.norm(id), x);
  if (node.as<graph::Neuron>() != nullptr) return neuron(network.neuron(id), x);
  if (const auto* geometry = node.as<graph::Pool>()) return pool(*geometry, x);
  if (node.as<graph::Sum>() != nullptr) return sum(inputs);
  if (node.as<graph::Flatten>() != nullptr) return ops::flatten(x);
  if (node.as<graph::Mean>() != nullptr) return ops::global_average(x);
  const auto* const vote = node.as<graph::Vote>();
  SPIKENM_ASSERT(vote != nullptr);
  return ops::vote(x, vote->voters);
}

Tensor Pass::run(Network& network, const Tensor& x) {
  const graph::Graph& graph = network.graph();
  const graph::Readers readers = graph::readers(graph);
  std::vector<Tensor> values(graph.nodes().size());
  values[0] = x;

  for (graph::NodeId id = 1; id < values.size(); ++id) {
    std::vector<Tensor> inputs;
    for (const graph::NodeId input : graph.node(id).inputs) inputs.push_back(values[input]);
    values[id] = compute(network, id, inputs);

    for (const graph::NodeId input : graph.node(id).inputs)
      if (readers[input].back() == id) values[input] = Tensor();
  }
  return values.back();
}

}  // namespace spikenm::nn
