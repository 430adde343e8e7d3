// Pixels 0..255 -> values around 0, last of all transforms.
#pragma once

#include "spikenm/core/plane_edit.h"
#include "spikenm/data/sample.h"

#include <vector>

namespace spikenm::data {

// (v / 255 - mean[c]) / std[c]; one mean and one std a channel, both of pixels in 0..1.
void normalize(Sample& sample, const std::vector<double>& mean, const std::vector<double>& std);

// The same for one channel, as what is done to every value: scale and offset.
ChannelEdit normalizing(double mean, double std);

}  // namespace spikenm::data
