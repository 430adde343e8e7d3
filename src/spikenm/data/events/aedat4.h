// AEDAT 4.0, written by DV: CIFAR10-DVS as Tonic downloads it, and current iniVation cameras.
#pragma once

#include "spikenm/data/events/aedat4_streams.h"
#include "spikenm/data/events/event.h"
#include "spikenm/data/formats/unpack_limit.h"

namespace spikenm::data {

// Replaces `out` with the file's event stream of the lowest number and returns that stream; frames,
// IMU, triggers and other cameras are left out. An Error begins with `source`.
Aedat4Stream read_aedat4(Bytes bytes, std::string_view source, Recording& out,
                         const UnpackLimit& limit = {});

}  // namespace spikenm::data
