#include "spikenm/runtime/stored_model.h"

namespace spikenm::runtime {

graph::NeuronParams neuron_params(const StoredModel& model, graph::NodeId neuron) {
  graph::NeuronParams params = model.graph.node(neuron).as<graph::Neuron>()->params;
  const auto leak = model.leaks.find(neuron);
  if (leak != model.leaks.end()) params.k = leak->second;
  return params;
}

int64_t weight_bytes(const StoredModel& model) {
  size_t bytes = 0;
  for (const auto& [id, tensor] : model.synapses) bytes += tensor.values.size();
  return static_cast<int64_t>(bytes);
}

}  // namespace spikenm::runtime
