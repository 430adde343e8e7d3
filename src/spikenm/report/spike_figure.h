// Draws what neurons did: the input, a raster and a rate per step for each layer.
#pragma once

#include "spikenm/report/spike_record.h"

namespace spikenm::report {

// Layers with many neurons show as many of them as fit, evenly spaced; rates are of all.
std::string spike_svg(const std::string& title, const SpikeRecord& record);

}  // namespace spikenm::report
