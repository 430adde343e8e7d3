// Energy of one sample from its operations, by the convention that papers on spiking networks use:
// an accumulate of a spike costs 0.9 pJ, a multiply-accumulate 4.6 pJ (32 bit, 45 nm). Spikes
// accumulate; layers that read analog values, such as the first, multiply.
#pragma once

#include "spikenm/sparsity/connectivity.h"

namespace spikenm::metrics {

inline constexpr double kPicojoulesPerSop = 0.9, kPicojoulesPerMac = 4.6;
// How the energy was computed, in words; result.json has this text next to the number.
inline constexpr const char* kEnergyConvention =
    "0.9 pJ per SOP + 4.6 pJ per MAC; MACs are the live connections of layers that read the input "
    "or other analog values, at every step, or once where an image alone makes them";

// MACs in one sample: those of the layers that read analog values. What is made of a static image
// alone is the same at every step, so it is computed once.
double analog_macs(const graph::Graph& graph, const sparsity::Connectivity& connections, int64_t T,
                   bool static_image);

double energy_microjoules(double sops, double macs);

}  // namespace spikenm::metrics
