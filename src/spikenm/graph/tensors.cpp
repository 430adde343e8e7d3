#include "spikenm/graph/tensors.h"

namespace spikenm::graph {

std::vector<TensorShape> tensors(const Graph& graph) {
  std::vector<TensorShape> synapses, norms, neurons, statistics;
  for (const Node& node : graph.nodes()) {
    const std::vector<int64_t> channels{node.out.channels};
    if (const auto* synapse = node.as<Synapse>()) {
      const nm::WeightShape& s = synapse->shape;
      synapses.push_back({node.name + ".weight", {s.cout, s.cin, s.kh, s.kw}});
      if (synapse->bias) synapses.push_back({node.name + ".bias", {s.cout}});
    } else if (node.as<Norm>() != nullptr) {
      norms.push_back({node.name + ".weight", channels});
      norms.push_back({node.name + ".bias", channels});
      statistics.push_back({node.name + ".running_mean", channels});
      statistics.push_back({node.name + ".running_var", channels});
    } else if (const auto* neuron = node.as<Neuron>()) {
      if (traits_of(neuron->params.neuron).learns_leak) neurons.push_back({node.name + ".w", {1}});
    }
  }

  for (const auto& more : {norms, neurons, statistics})
    synapses.insert(synapses.end(), more.begin(), more.end());
  return synapses;
}

}  // namespace spikenm::graph
