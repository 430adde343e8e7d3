#include "spikenm/sparsity/connectivity.h"

#include "spikenm/graph/connections.h"

#include <ATen/ATen.h>

namespace spikenm::sparsity {

double Connectivity::alive() const {
  double sum = 0;
  for (const LayerConnections& layer : layers) sum += layer.alive;
  return sum;
}

double Connectivity::dense() const {
  double sum = 0;
  for (const LayerConnections& layer : layers) sum += layer.dense;
  return sum;
}

graph::Kept kept_by(const Masks& masks, const graph::Graph& graph) {
  graph::Kept kept = graph::all_kept(graph);
  for (const LayerMask& m : masks.weights) kept[m.synapse->node] = m.mask.keep;
  for (const NeuronMask& m : masks.neurons) {
    const Tensor keep = m.keep.to(at::kByte).cpu().contiguous();
    const auto* const bytes = keep.const_data_ptr<uint8_t>();
    kept[m.neuron->node].assign(bytes, bytes + keep.numel());
  }
  return kept;
}

Connectivity count_connections(const nn::Network& network, const Masks& masks) {
  const graph::Graph& graph = network.graph();
  Connectivity result;
  for (const graph::SynapseConnections& found :
       graph::count_connections(graph, kept_by(masks, graph)))
    result.layers.push_back(
        {.name = graph.node(found.synapse).name, .alive = found.alive, .dense = found.dense});
  return result;
}

}  // namespace spikenm::sparsity
