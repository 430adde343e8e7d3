#include "spikenm/core/png.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <png.h>

#include <vector>

namespace spikenm {
namespace {

using test::TempDir;

struct PlainPicture {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> rgb;
};

PlainPicture read_back(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0);
  EXPECT_EQ(image.format, static_cast<png_uint_32>(PNG_FORMAT_RGB));
  image.format = PNG_FORMAT_RGB;
  PlainPicture picture{image.width, image.height, std::vector<uint8_t>(PNG_IMAGE_SIZE(image))};
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr), 0);
  return picture;
}

std::vector<uint8_t> noise(size_t size) {
  std::vector<uint8_t> bytes(size);
  uint32_t state = 7;
  for (uint8_t& byte : bytes)
    byte = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

TEST(Png, PictureComesBackPixelByPixel) {
  const TempDir dir;
  const std::vector<std::pair<int64_t, int64_t>> sizes = {
      {1, 1}, {1, 7}, {5, 1}, {3, 2}, {257, 131}};
  for (const auto& [width, height] : sizes) {
    const std::vector<uint8_t> rgb = noise(static_cast<size_t>(width * height * 3));
    write_png(dir / "a.png", width, height, rgb);
    const PlainPicture read = read_back(dir / "a.png");
    EXPECT_EQ(read.width, width);
    EXPECT_EQ(read.height, height);
    EXPECT_EQ(read.rgb, rgb) << width << "x" << height;
  }
}

TEST(Png, PictureWithoutPixelsIsRefused) {
  const TempDir dir;
  EXPECT_ERROR(write_png(dir / "a.png", 0, 4, {}), "a.png", "0x4 pixels");
  EXPECT_ERROR(write_png(dir / "a.png", 4, -1, {}), "a.png", "4x-1 pixels");
  EXPECT_ERROR(write_png(dir / "a.png", 16385, 1, {}), "sides of 1 to 16384");
  EXPECT_FALSE(std::filesystem::exists(dir / "a.png"));
}

TEST(Png, PixelsThatDoNotFillThePictureAreABug) {
  const TempDir dir;
  EXPECT_THROW(write_png(dir / "a.png", 2, 2, std::vector<uint8_t>(11)), Bug);
}

TEST(Png, FolderThatIsNotThereIsNamed) {
  const TempDir dir;
  EXPECT_ERROR(write_png(dir / "none/a.png", 1, 1, std::vector<uint8_t>(3)), "none/a.png");
}

TEST(Png, IsReadAsItWasWritten) {
  const TempDir folder;
  const std::vector<uint8_t> rgb = noise(5 * 3 * 3);
  write_png(folder / "a.png", 5, 3, rgb);
  const std::string bytes = read_file(folder / "a.png");
  const Picture colours = read_png(as_bytes(bytes), /*gray=*/false, "a.png");
  EXPECT_EQ(colours.width, 5);
  EXPECT_EQ(colours.height, 3);
  EXPECT_EQ(colours.pixels, rgb);
  EXPECT_EQ(read_png(as_bytes(bytes), /*gray=*/true, "a.png").pixels.size(), 15u);
}

TEST(Png, DamagedPicturesAreRefused) {
  const TempDir folder;
  write_png(folder / "a.png", 5, 3, noise(5 * 3 * 3));
  const std::string bytes = read_file(folder / "a.png");
  EXPECT_ERROR(read_png(as_bytes(bytes.substr(0, 40)), false, "a.png"), "a.png");
  EXPECT_ERROR(read_png(as_bytes("no picture"), false, "a.png"), "a.png");
}

}  // namespace
}  // namespace spikenm
