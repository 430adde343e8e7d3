// Text lines before binary events: "# …" in AEDAT, "% …" in Prophesee files.
#pragma once

#include "spikenm/core/bytes.h"

#include <algorithm>

namespace spikenm::data {

// Longer than any real line: jAER's preferences hold values of up to 8192 characters.
constexpr size_t kMaxHeaderLine = size_t{1} << 14;

inline bool is_text(uint8_t byte) {
  return (byte >= 0x20 && byte != 0x7f) || byte == '\t' || byte == '\r';
}

// Number of bytes before the first that is not text.
inline size_t text_length(Bytes bytes) {
  return static_cast<size_t>(std::find_if_not(bytes.begin(), bytes.end(), is_text) - bytes.begin());
}

// Length of the line that `bytes` begins with, including its newline, if it begins with `mark` and
// is text; else 0, because binary data may also begin with the mark's byte.
inline size_t header_line(Bytes bytes, char mark) {
  if (bytes.empty() || bytes[0] != static_cast<uint8_t>(mark)) return 0;
  const size_t end = text_length(bytes.first(std::min(bytes.size(), kMaxHeaderLine)));
  return end < bytes.size() && bytes[end] == '\n' ? end + 1 : 0;
}

// The line's text without mark, newline and the spaces around it.
inline std::string_view header_text(Bytes line) {
  std::string_view text = as_text(line).substr(1);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

// The rest of `text` after `key`; empty when `text` does not begin with `key`.
inline std::string_view text_after(std::string_view text, std::string_view key) {
  if (!text.starts_with(key)) return {};
  text.remove_prefix(key.size());
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

// True when the bytes are a line that begins with `mark` and has no newline before the end of the
// file.
inline bool is_cut_header_line(Bytes bytes, char mark) {
  return !bytes.empty() && bytes[0] == static_cast<uint8_t>(mark) &&
         bytes.size() < kMaxHeaderLine && text_length(bytes) == bytes.size();
}

}  // namespace spikenm::data
