// Writes PNG pictures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace spikenm {

// Writes an 8-bit RGB picture. rgb: [height,width,3]
void write_png(const std::filesystem::path& path, int64_t width, int64_t height,
               std::span<const uint8_t> rgb);

}  // namespace spikenm
