#include "spikenm/data/events/recognize.h"

#include "spikenm/data/events/aedat2.h"
#include "spikenm/data/events/aedat3.h"
#include "spikenm/data/events/aedat4.h"
#include "spikenm/data/events/atis_bin.h"
#include "spikenm/data/events/header_line.h"
#include "spikenm/data/events/numpy_events.h"
#include "spikenm/data/events/prophesee_dat.h"
#include "spikenm/data/formats/member_name.h"

#include <algorithm>

namespace spikenm::data {
namespace {

constexpr const char* kKnown =
    "AEDAT 2.0, 3.1 and 4.0, Prophesee DAT, ATIS 40-bit events (.bin, .bs2), NumPy .npy and .npz";

constexpr const char* kUnversioned = "AEDAT 2.0 (no version line)";

int64_t count_backward_steps(const std::vector<Event>& events) {
  int64_t n = 0;
  for (size_t i = 1; i < events.size(); ++i) n += events[i].t < events[i - 1].t;
  return n;
}

// In data that is not a recording, about half of the steps go back in time; a camera's clock almost
// never does.
bool is_plausible(const Recording& recording) {
  return count_backward_steps(recording.events) <=
         static_cast<int64_t>(recording.events.size() / 100);
}

EventFile read_aedat(Bytes bytes, std::string_view source, const UnpackLimit& limit) {
  const size_t n_version = std::min(text_length(bytes), size_t{40});
  std::string_view version = header_text(bytes.first(n_version));
  version.remove_prefix(std::string_view("!AER-DAT").size());
  EventFile file{.format = fmt::format("AEDAT {}", version), .recording = {}};

  if (version == "2.0") {
    read_aedat2(bytes, source, file.recording);
  } else if (version == "3.1") {
    read_aedat3(bytes, source, {}, file.recording);
  } else if (version == "4.0") {
    const Aedat4Stream stream = read_aedat4(bytes, source, file.recording, limit);
    if (stream.n_event_streams > 1)
      file.format +=
          fmt::format(" (stream {} of its {} event streams)", stream.id, stream.n_event_streams);
  } else {
    fail("{}: found AEDAT version '{}', which is not supported; known: {}", source,
         excerpt(version), kKnown);
  }
  return file;
}

// Prophesee's RAW files begin like DAT, and their header says how events are coded.
void refuse_raw(Bytes bytes, std::string_view source) {
  for (size_t at = 0; const size_t length = header_line(bytes.subspan(at), '%'); at += length) {
    const std::string_view line = header_text(bytes.subspan(at, length));
    SPIKENM_CHECK(!line.starts_with("evt ") && !line.starts_with("format EVT"),
                  "{}: found a Prophesee RAW file ('% {}'), which is not supported; known: {}",
                  source, excerpt(line), kKnown);
  }
}

// Number of bytes that follow the first byte of a UTF-8 character; 4 for a byte that cannot be
// first.
size_t utf8_tail(uint8_t first) {
  return first < 0x80   ? 0
         : first < 0xc2 ? 4
         : first < 0xe0 ? 1
         : first < 0xf0 ? 2
         : first < 0xf5 ? 3
                        : 4;
}

// Whether the file is text and not an AEDAT header, since a recording may consist of its header
// alone.
bool is_plain_text(Bytes bytes) {
  constexpr size_t kLooked = 4096;  // bytes; events would be seen long before
  if (as_text(bytes).starts_with("#!AER-DAT")) return false;

  size_t tail = 0;  // bytes still missing from the character
  for (const uint8_t byte : bytes.first(std::min(bytes.size(), kLooked))) {
    const bool continues = (byte & 0xc0) == 0x80;
    if (continues != (tail > 0) || !(is_text(byte) || byte == '\n')) return false;
    tail = continues ? tail - 1 : utf8_tail(byte);
    if (tail == 4) return false;
  }
  return true;
}

// Whether the file begins with a line of text so long that binary data would not contain it by
// chance.
bool has_header(Bytes bytes, char mark) {
  return header_line(bytes, mark) >= 8;
}

// Reads a file whose begin identifies its format; the result's format is empty for other files.
EventFile read_named(Bytes bytes, std::string_view source, const UnpackLimit& limit) {
  const std::string_view text = as_text(bytes);
  EventFile file;
  if (text.starts_with("#!AER-DAT")) return read_aedat(bytes, source, limit);

  if (text.starts_with("\x93NUMPY")) {
    file.format = "NumPy array";
    read_npy_events(bytes, source, {}, file.recording);
  } else if (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06")) {
    file.format = "NumPy archive";
    read_npz_events(bytes, source, file.recording, limit);
  } else if (has_header(bytes, '#')) {
    file.format = kUnversioned;
    read_aedat2(bytes, source, file.recording);
  } else if (has_header(bytes, '%')) {
    refuse_raw(bytes, source);
    file.format = "Prophesee DAT";
    read_prophesee_dat(bytes, source, file.recording);
  }
  return file;
}

// True when `read` accepts the bytes and time increases in the recording.
template <class Read>
bool reads_as(Bytes bytes, std::string_view source, const Read& read, Recording& recording) {
  try {
    read(bytes, source, recording);
    return is_plausible(recording);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

EventFile read_event_file(Bytes bytes, std::string_view source, const UnpackLimit& limit) {
  SPIKENM_CHECK(!bytes.empty(), "{}: found an empty file; known: {}", source, kKnown);
  SPIKENM_CHECK(!is_plain_text(bytes), "{}: not an event file: it holds text; known: {}", source,
                kKnown);

  EventFile file = read_named(bytes, source, limit);
  if (!file.format.empty()) return file;

  const bool is_binary = text_length(bytes) < bytes.size();
  if (is_binary && reads_as(bytes, source, read_aedat2, file.recording)) {
    file.format = kUnversioned;
  } else if (is_binary && reads_as(bytes, source, read_atis_bin, file.recording)) {
    file.format = "ATIS 40-bit events";
  } else {
    fail("{}: found no format that is known; known: {}", source, kKnown);
  }
  return file;
}

EventSummary summarize(const EventFile& file) {
  const std::vector<Event>& events = file.recording.events;
  EventSummary summary;
  summary.format = file.format;
  summary.events = static_cast<int64_t>(events.size());
  summary.width = file.recording.width;
  summary.height = file.recording.height;
  summary.size_guessed = summary.width == 0 || summary.height == 0;
  summary.backward_steps = count_backward_steps(events);

  if (events.empty()) return summary;
  summary.first_us = summary.last_us = events.front().t;
  int64_t on = 0;
  for (const Event& e : events) {
    summary.first_us = std::min(summary.first_us, e.t);
    summary.last_us = std::max(summary.last_us, e.t);
    on += e.on;
    if (!summary.size_guessed) continue;
    summary.width = std::max(summary.width, e.x + 1);
    summary.height = std::max(summary.height, e.y + 1);
  }

  summary.span_us = summary.last_us - summary.first_us;
  summary.on_share = static_cast<double>(on) / static_cast<double>(events.size());
  if (summary.span_us > 0)
    summary.rate = static_cast<double>(events.size()) * 1e6 / static_cast<double>(summary.span_us);
  return summary;
}

Json to_json(const EventSummary& summary) {
  return {{"format", summary.format},
          {"events", summary.events},
          {"first_us", summary.first_us},
          {"last_us", summary.last_us},
          {"span_us", summary.span_us},
          {"backward_steps", summary.backward_steps},
          {"width", summary.width},
          {"height", summary.height},
          {"size_guessed", summary.size_guessed},
          {"on_share", summary.on_share},
          {"events_per_second", summary.rate}};
}

std::string to_text(const EventSummary& summary) {
  return fmt::format(
      "format   {}\n"
      "events   {} ({:.1f} % ON)\n"
      "time     {} to {} us, {:.6f} s, {} steps back\n"
      "rate     {:.0f} events/s\n"
      "sensor   {} x {}{}\n",
      summary.format, summary.events, 100 * summary.on_share, summary.first_us, summary.last_us,
      static_cast<double>(summary.span_us) * 1e-6, summary.backward_steps, summary.rate,
      summary.width, summary.height, summary.size_guessed ? " (guessed from the events)" : "");
}

}  // namespace spikenm::data
