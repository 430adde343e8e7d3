// AEDAT 4.0, written by DV: CIFAR10-DVS as Tonic downloads it, and today's iniVation cameras.
#pragma once

#include "spikenm/data/events/event.h"

namespace spikenm::data {

// Refills `out` with the file's first event stream; frames, IMU, triggers and further cameras are
// left out. An Error begins with `source`.
void read_aedat4(Bytes bytes, std::string_view source, Recording& out);

}  // namespace spikenm::data
