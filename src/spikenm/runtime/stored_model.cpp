#include "spikenm/runtime/stored_model.h"

namespace spikenm::runtime {

graph::NeuronParams neuron_params(const StoredModel& model, graph::NodeId neuron) {
  graph::NeuronParams params = model.graph.node(neuron).as<graph::Neuron>()->params;
  const auto leak = model.leaks.find(neuron);
  if (leak != model.leaks.end()) params.k = leak->second;
  return params;
}

int64_t weight_bytes(const StoredModel& model) {
  int64_t bytes = 0;
  for (const auto& [id, tensor] : model.synapses) {
    bytes += stored_weights(tensor) * static_cast<int64_t>(value_bytes(tensor.type));
    if (tensor.as_bits) bytes += tensor.shape.numel() / 8;
  }
  return bytes;
}

}  // namespace spikenm::runtime
