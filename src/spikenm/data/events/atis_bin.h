// 40-bit events of ATIS cameras, without a header: .bin of N-MNIST and N-Caltech101, and .bs2.
#pragma once

#include "spikenm/data/events/event.h"

namespace spikenm::data {

// Replaces `out`. The file does not give the sensor's size. An Error begins with `source`.
void read_atis_bin(Bytes bytes, std::string_view source, Recording& out);

}  // namespace spikenm::data
