#include "spikenm/metrics/energy.h"

#include "spikenm/graph/walks.h"

namespace spikenm::metrics {

double analog_macs(const graph::Graph& graph, const sparsity::Connectivity& connections, int64_t T,
                   bool static_image) {
  const std::vector<graph::Signal> signals = graph::signals(graph);
  double macs = 0;
  for (const sparsity::LayerConnections& layer : connections.layers) {
    const graph::NodeId synapse = graph.find(layer.name).value();
    const graph::Signal read = signals[graph.node(synapse).inputs[0]];
    if (read == graph::Signal::kSpikes) continue;
    const bool once = static_image && read == graph::Signal::kFrame;
    macs += layer.alive * static_cast<double>(once ? 1 : T);
  }
  return macs;
}

double energy_microjoules(double sops, double macs) {
  return 1e-6 * (kPicojoulesPerSop * sops + kPicojoulesPerMac * macs);
}

}  // namespace spikenm::metrics
