// AEDAT 2.0, written by jAER: DVS128 (CIFAR10-DVS) and DAVIS cameras.
#pragma once

#include "spikenm/data/events/event.h"

namespace spikenm::data {

// Replaces `out` with the pixels' events, oriented as jAER shows them: x to the right, y downwards.
// External, frame and IMU words are left out. An Error begins with `source`.
void read_aedat2(Bytes bytes, std::string_view source, Recording& out);

}  // namespace spikenm::data
