// --frame CxHxWxCLASSES: the frame and classes of a network, if no dataset gives them.
#pragma once

#include "spikenm/core/error.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace spikenm::cli {

// "3x32x32x10": channels, height, width, classes.
inline std::array<int64_t, 4> parse_frame(const std::string& text) {
  std::array<int64_t, 4> sizes{};
  const char* at = text.data();
  const char* const end = at + text.size();
  bool good = true;
  for (size_t i = 0; good && i < sizes.size(); ++i) {
    if (i > 0) good = at != end && *at++ == 'x';
    const auto [rest, error] = std::from_chars(at, end, sizes[i]);
    good = good && error == std::errc() && sizes[i] >= 1 && sizes[i] <= 65536;
    at = rest;
  }
  if (!good || at != end)
    throw UsageError(fmt::format(
        "--frame: found '{}', wanted channels x height x width x classes, as 3x32x32x10", text));
  return sizes;
}

}  // namespace spikenm::cli
