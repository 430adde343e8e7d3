// Energy of one sample from its operations, by the convention that papers on spiking networks use:
// an accumulate of a spike costs 0.9 pJ, a multiply-accumulate 4.6 pJ (32 bit, 45 nm). Spikes
// accumulate; the first layer, which reads values, multiplies.
#pragma once

#include "spikenm/sparsity/connectivity.h"

namespace spikenm::metrics {

inline constexpr double kPicojoulesPerSop = 0.9, kPicojoulesPerMac = 4.6;
// Stands beside the number.
inline constexpr const char* kEnergyConvention =
    "0.9 pJ a SOP + 4.6 pJ a MAC of the first layer; its MACs are its live connections, at every "
    "step for event frames, once for images";

// MACs of the network's first layer in one sample. A static image gives the same current at every
// step, so it is evaluated once.
double first_layer_macs(nn::Network& network, const sparsity::Connectivity& connections, int64_t T,
                        bool static_image);

double energy_microjoules(double sops, double macs);

}  // namespace spikenm::metrics
