// Prophesee's DAT files (N-CARS, Gen1 and 1 Mpx automotive), and those of the earlier ATIS cameras.
#pragma once

#include "spikenm/data/events/event.h"

namespace spikenm::data {

// Replaces `out`. The sensor's size stays 0 unless the header gives it. An Error begins with
// `source`.
void read_prophesee_dat(Bytes bytes, std::string_view source, Recording& out);

}  // namespace spikenm::data
