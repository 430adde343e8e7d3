// AEDAT 3.1, written by cAER: the recordings of DVS128 Gesture.
#pragma once

#include "spikenm/core/input_file.h"
#include "spikenm/data/events/event.h"

namespace spikenm::data {

// Replaces `out` with the valid polarity events inside `window`. Packets of other types are
// skipped. So are packets outside the window: only their first and last event are read, because
// times do not decrease within a packet. The header names the sensor; if it does not, the sensor's
// size stays 0. An Error begins with `source`.
void read_aedat3(Bytes bytes, std::string_view source, const TimeWindow& window, Recording& out);

// The same for a file; little more than the packets inside the window is read.
void read_aedat3(const InputFile& file, const TimeWindow& window, Recording& out);

}  // namespace spikenm::data
