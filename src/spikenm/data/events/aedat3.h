// AEDAT 3.1, written by cAER: the recordings of DVS128 Gesture.
#pragma once

#include "spikenm/core/input_file.h"
#include "spikenm/data/events/event.h"

namespace spikenm::data {

// Refills `out` with the valid polarity events inside `window`. Other packets are passed over, and
// so are those outside the window, of which only the first and the last event are looked at: times
// within a packet do not fall. The header names the sensor; if it does not, its size stays 0. An
// Error begins with `source`.
void read_aedat3(Bytes bytes, std::string_view source, const TimeWindow& window, Recording& out);

// The same of a file, of which little more than the packets inside the window is read.
void read_aedat3(const InputFile& file, const TimeWindow& window, Recording& out);

}  // namespace spikenm::data
