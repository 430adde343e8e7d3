// Prophesee's DAT files (N-CARS, Gen1 and 1 Mpx automotive), and those of its ATIS forerunners.
#pragma once

#include "spikenm/data/events/event.h"

namespace spikenm::data {

// Refills `out`. The sensor's size stays 0 unless the header states it. An Error begins with
// `source`.
void read_prophesee_dat(Bytes bytes, std::string_view source, Recording& out);

}  // namespace spikenm::data
