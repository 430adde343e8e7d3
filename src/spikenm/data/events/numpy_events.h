// Events as numpy arrays: SpikingJelly's .npz, Tonic's .npy.
#pragma once

#include "spikenm/data/events/event.h"
#include "spikenm/data/formats/unpack_limit.h"

#include <string>

namespace spikenm::data {

// How a plain array of shape (N, 4) keeps its events; the default is Tonic's DVSGesture.
struct NpyEventLayout {
  std::string columns = "xypt";  // one letter a column
  int64_t us_per_tick = 1000;    // of the times; Tonic's are in ms
};

// Both refill `out`, whose sensor's size stays 0, and round times to whole µs. Polarity is 0 or -1
// for OFF and 1 for ON. An Error begins with `source`.

// Arrays t, x, y and p of N values; times in µs. `limit` is that of an array and of the events.
void read_npz_events(Bytes bytes, std::string_view source, Recording& out,
                     const UnpackLimit& limit = {});

// N records with fields t, x, y and p in any order and times in µs, or a plain array (N, 4).
void read_npy_events(Bytes bytes, std::string_view source, const NpyEventLayout& layout,
                     Recording& out);

}  // namespace spikenm::data
