// Event files of any known format, told apart by their content, and what is in them in short.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/data/events/event.h"
#include "spikenm/data/formats/unpack_limit.h"

#include <string>

namespace spikenm::data {

struct EventFile {
  std::string format;  // "AEDAT 2.0", …; of several event streams, which was read
  Recording recording;
};

// An Error begins with `source` and names the formats that are known.
EventFile read_event_file(Bytes bytes, std::string_view source, const UnpackLimit& limit = {});

struct EventSummary {
  std::string format;
  int64_t events = 0;
  int64_t first_us = 0, last_us = 0;  // the smallest and the largest time
  int64_t span_us = 0;                // between them
  int64_t backward_steps = 0;         // events earlier than the one before them
  int32_t width = 0, height = 0;
  bool size_guessed = false;  // from the largest coordinates; the file does not tell
  double on_share = 0;        // of all events
  double rate = 0;            // events a second; 0 when the span is
};

EventSummary summarize(const EventFile& file);

Json to_json(const EventSummary& summary);
// A line for each fact.
std::string to_text(const EventSummary& summary);

}  // namespace spikenm::data
