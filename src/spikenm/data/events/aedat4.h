// AEDAT 4.0, written by DV: CIFAR10-DVS as Tonic downloads it, and today's iniVation cameras.
#pragma once

#include "spikenm/data/events/aedat4_streams.h"
#include "spikenm/data/events/event.h"
#include "spikenm/data/formats/unpack_limit.h"

namespace spikenm::data {

// Refills `out` with the file's event stream of the lowest number, which it returns; frames, IMU,
// triggers and further cameras are left out. An Error begins with `source`.
Aedat4Stream read_aedat4(Bytes bytes, std::string_view source, Recording& out,
                         const UnpackLimit& limit = {});

}  // namespace spikenm::data
