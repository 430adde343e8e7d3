#include "spikenm/core/png.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"

#include <png.h>

#include <string>

namespace spikenm {

void write_png(const std::filesystem::path& path, int64_t width, int64_t height,
               std::span<const uint8_t> rgb) {
  constexpr int64_t kMaxSide = 16384;  // then libpng's 32-bit sizes do not overflow
  SPIKENM_CHECK(1 <= width && width <= kMaxSide && 1 <= height && height <= kMaxSide,
                "{}: found a picture of {}x{} pixels, wanted sides of 1 to {}", path.string(),
                width, height, kMaxSide);
  SPIKENM_ASSERT(rgb.size() == static_cast<size_t>(width * height * 3));

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;

  // libpng needs the largest possible size before it packs, and then returns the size it used.
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string packed(size, '\0');
  const int written = png_image_write_to_memory(&image, packed.data(), &size, 0, rgb.data(),
                                                /*row_stride=*/0, /*colormap=*/nullptr);
  SPIKENM_CHECK(written != 0, "{}: the picture cannot be packed: {}", path.string(), image.message);
  write_file_atomically(path, std::string_view(packed).substr(0, size));
}

}  // namespace spikenm
