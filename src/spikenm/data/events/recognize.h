// Reads event files of any known format, recognized by their content, and summarizes them.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/data/events/event.h"
#include "spikenm/data/formats/unpack_limit.h"

#include <string>

namespace spikenm::data {

struct EventFile {
  std::string format;  // "AEDAT 2.0", …; also names the stream read if there are several
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
  bool size_guessed = false;  // from the largest coordinates; not in the file
  double on_share = 0;        // ON events / all events
  double rate = 0;            // events per second; 0 when the span is 0
};

EventSummary summarize(const EventFile& file);

Json to_json(const EventSummary& summary);
// One line per fact.
std::string to_text(const EventSummary& summary);

}  // namespace spikenm::data
