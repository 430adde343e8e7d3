// Headerless 40-bit events of ATIS cameras: N-MNIST's .bin, N-Caltech101's, and .bs2.
#pragma once

#include "spikenm/data/events/event.h"

namespace spikenm::data {

// Refills `out`. The file does not tell the sensor's size. An Error begins with `source`.
void read_atis_bin(Bytes bytes, std::string_view source, Recording& out);

}  // namespace spikenm::data
