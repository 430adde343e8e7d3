// Names found inside files: whether they are safe as paths, and how messages show them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace spikenm::data {

// True for a name that could point outside the folder its archive is unpacked in, or that systems
// understand differently: a name that is empty or absolute, or has a ".." part, a backslash or a
// NUL.
inline bool is_unsafe_name(std::string_view name) {
  if (name.empty() || name.front() == '/') return true;
  if (name.find('\\') != name.npos || name.find('\0') != name.npos) return true;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return true;
    begin = end + 1;
  }
  return false;
}

// The text as one short line: bytes that are not printable ASCII become \xNN, and a long text is
// cut.
inline std::string excerpt(std::string_view text) {
  constexpr size_t kLongest = 120;
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  if (text.size() > kLongest) out += "…";
  return out;
}

}  // namespace spikenm::data
