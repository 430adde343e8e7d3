// Events as numpy arrays: SpikingJelly's .npz, Tonic's .npy.
#pragma once

#include "spikenm/data/events/event.h"
#include "spikenm/data/formats/unpack_limit.h"

#include <string>

namespace spikenm::data {

// How a plain array of shape (N, 4) stores its events; the default is Tonic's DVSGesture.
struct NpyEventLayout {
  std::string columns = "xypt";  // one letter per column
  int64_t us_per_tick = 1000;    // unit of the times; Tonic's are in ms
};

// Both functions replace `out`, leave its sensor size 0, and round times to whole µs. Polarity is 0
// or -1 for OFF and 1 for ON. An Error begins with `source`.

// Arrays t, x, y and p of N values; times in µs. `limit` applies to each array and to the events.
void read_npz_events(Bytes bytes, std::string_view source, Recording& out,
                     const UnpackLimit& limit = {});

// N records with fields t, x, y and p in any order and times in µs, or a plain array (N, 4).
void read_npy_events(Bytes bytes, std::string_view source, const NpyEventLayout& layout,
                     Recording& out);

}  // namespace spikenm::data
