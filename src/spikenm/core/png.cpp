#include "spikenm/core/png.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"

#include <png.h>

#include <string>
#include <utility>

namespace spikenm {
namespace {

constexpr int64_t kMaxSide = 16384;  // then libpng's 32-bit sizes do not overflow

}  // namespace

std::string encode_png(int64_t width, int64_t height, std::span<const uint8_t> rgb,
                       const std::string& source) {
  SPIKENM_CHECK(1 <= width && width <= kMaxSide && 1 <= height && height <= kMaxSide,
                "{}: found a picture of {}x{} pixels, wanted sides of 1 to {}", source, width,
                height, kMaxSide);
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
  SPIKENM_CHECK(written != 0, "{}: the picture cannot be packed: {}", source, image.message);
  packed.resize(size);
  return packed;
}

void write_png(const std::filesystem::path& path, int64_t width, int64_t height,
               std::span<const uint8_t> rgb) {
  write_file_atomically(path, encode_png(width, height, rgb, path.string()));
}

Picture read_png(Bytes bytes, bool gray, const std::string& source) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const bool begun = png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) != 0;
  SPIKENM_CHECK(begun, "{}: found a picture that cannot be read: {}", source, image.message);
  if (image.width > kMaxSide || image.height > kMaxSide) {
    const auto [width, height] = std::pair(image.width, image.height);
    png_image_free(&image);
    fail("{}: found a picture of {}x{} pixels, wanted sides of 1 to {}", source, width, height,
         kMaxSide);
  }
  // Packed pixels take at least a thousandth of what they unpack to.
  const uint64_t pixels = uint64_t{image.width} * image.height;
  if (pixels > 1100 * uint64_t{bytes.size()} * 8) {
    png_image_free(&image);
    fail("{}: found a picture of {} pixels in {} bytes: cut short", source, pixels, bytes.size());
  }

  image.format = gray ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  Picture picture{.width = image.width, .height = image.height, .pixels = {}};
  picture.pixels.resize(PNG_IMAGE_SIZE(image));
  const png_color black{0, 0, 0};
  const bool read = png_image_finish_read(&image, &black, picture.pixels.data(), 0, nullptr) != 0;
  png_image_free(&image);
  SPIKENM_CHECK(read, "{}: found a picture that cannot be read: {}", source, image.message);
  return picture;
}

}  // namespace spikenm
