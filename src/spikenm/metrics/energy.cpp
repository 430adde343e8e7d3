#include "spikenm/metrics/energy.h"

namespace spikenm::metrics {

double first_layer_macs(nn::Network& network, const sparsity::Connectivity& connections, int64_t T,
                        bool static_image) {
  const std::string& first = network.synapses().front().name;
  for (const sparsity::LayerConnections& layer : connections.layers) {
    if (layer.name == first) return layer.alive * static_cast<double>(static_image ? 1 : T);
  }
  return 0;
}

double energy_microjoules(double sops, double macs) {
  return 1e-6 * (kPicojoulesPerSop * sops + kPicojoulesPerMac * macs);
}

}  // namespace spikenm::metrics
