// Pixels 0..255 -> values around 0; the last of all transforms.
#pragma once

#include "spikenm/core/plane_edit.h"
#include "spikenm/data/sample.h"

#include <vector>

namespace spikenm::data {

// (v / 255 - mean[c]) / std[c]; one mean and one std per channel, both of pixels in 0..1.
void normalize(Sample& sample, const std::vector<double>& mean, const std::vector<double>& std);

// The same for one channel, as a scale and an offset for every value.
ChannelEdit normalizing(double mean, double std);

}  // namespace spikenm::data
