// Reads and writes PNG pictures.
#pragma once

#include "spikenm/core/bytes.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace spikenm {

// An 8-bit RGB picture as the bytes of a PNG file. rgb: [height,width,3]. `source` names it in
// messages.
std::string encode_png(int64_t width, int64_t height, std::span<const uint8_t> rgb,
                       const std::string& source);
// The same, as a file.
void write_png(const std::filesystem::path& path, int64_t width, int64_t height,
               std::span<const uint8_t> rgb);

struct Picture {
  int64_t width = 0, height = 0;
  std::vector<uint8_t> pixels;  // [height,width,3], or [height,width] when it was read as gray
};

// A PNG of any kind as 8-bit RGB or gray; what is transparent is black. `source` names the bytes in
// messages.
Picture read_png(Bytes bytes, bool gray, const std::string& source);

}  // namespace spikenm
