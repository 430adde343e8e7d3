// The format of TensorBoard's event files: a list of records, each with two checksums and one
// Event, a message of protocol buffers. Only the fields that scalars, pictures and
// histograms need are written, and only steps are read.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/core/histogram.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm {

// The record that every event file begins with.
std::string version_record(double wall_time);

// One value of one curve. `wall_time`: in seconds since 1970.
std::string scalar_record(std::string_view tag, int64_t step, double wall_time, float value);

// One picture, as the bytes of a PNG file.
struct PackedPicture {
  int64_t width = 0, height = 0;
  std::string png;
};
std::string picture_record(std::string_view tag, int64_t step, double wall_time,
                           const PackedPicture& picture);

std::string histogram_record(std::string_view tag, int64_t step, double wall_time,
                             const Histogram& histogram);

struct EventRecord {
  Bytes bytes;       // the whole record
  int64_t step = 0;  // 0 for an event without a step
  bool is_version = false;
};

// Returns the records before the first one that is incomplete or damaged. What follows that one
// cannot be read.
std::vector<EventRecord> whole_records(Bytes file);

}  // namespace spikenm
