#include "spikenm/core/file.h"
#include "support/class_folder_files.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace spikenm::data {
namespace {

using test::open_set;
using test::put;
using test::read_sample;
using test::TempDir;

// Columns of growing brightness, in PNG.
void put_ramp(const std::filesystem::path& path, int64_t width, int64_t height) {
  std::filesystem::create_directories(path.parent_path());
  std::vector<uint8_t> rgb;
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      rgb.insert(rgb.end(), {static_cast<uint8_t>(x), static_cast<uint8_t>(y), 7});
  write_png(path, width, height, rgb);
}

void put_two(const TempDir& dir, int64_t width, int64_t height) {
  for (const char* part : {"train", "test"})
    for (const char* name : {"a", "b"}) put_ramp(dir / part / name / "1.png", width, height);
}

TEST(ImageFolder, APictureOfTheRightSizeIsReadAsItIs) {
  const TempDir dir;
  put_two(dir, 6, 6);
  const auto set = open_set("image-folder", dir.path(), {"resize=6"});
  EXPECT_EQ(set->info().shape(), (SampleShape{1, 3, 6, 6}));
  const std::vector<float> values = read_sample(*set, Part::kTrain, 0);
  for (size_t i = 0; i < 36; ++i) {
    EXPECT_EQ(values[i], static_cast<float>(i % 6));
    EXPECT_EQ(values[36 + i], static_cast<float>(i / 6));
    EXPECT_EQ(values[72 + i], 7);
  }
}

TEST(ImageFolder, TheMiddleIsCut) {
  const TempDir dir;
  put_two(dir, 20, 10);
  const auto set = open_set("image-folder", dir.path(), {"resize=10", "crop=4"});
  const std::vector<float> values = read_sample(*set, Part::kTest, 1);
  ASSERT_EQ(values.size(), 48U);
  EXPECT_EQ(values[0], 8);    // x of the left column
  EXPECT_EQ(values[16], 3);   // y of the upper row
  EXPECT_EQ(values[15], 11);  // x of the right column
  EXPECT_ERROR(open_set("image-folder", dir.path(), {"resize=10", "crop=11"}),
               "data.crop: found 11, wanted 1 to 10");
}

TEST(ImageFolder, TheShorterSideIsBroughtToSize) {
  const TempDir dir;
  put_two(dir, 40, 80);
  const auto set = open_set("image-folder", dir.path(), {"resize=10", "colors=gray"});
  EXPECT_EQ(set->info().shape(), (SampleShape{1, 1, 10, 10}));
  for (const float value : read_sample(*set, Part::kTrain, 0)) {
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 255);
    EXPECT_EQ(value, std::round(value));
  }
}

TEST(ImageFolder, JpegsAndPngsLieSideBySide) {
  const TempDir dir;
  put_two(dir, 40, 30);
  const std::filesystem::path corpus =
      std::filesystem::path(SPIKENM_SOURCE_DIR) / "fuzz/corpus/picture";
  put(dir / "train/a/0.JPG", read_file(corpus / "two_colours.jpg"));
  const auto set = open_set("image-folder", dir.path(), {"resize=8"});
  const std::vector<float> values = read_sample(*set, Part::kTrain, 0);
  EXPECT_NEAR(values[0], 200, 12);
  EXPECT_NEAR(values[7], 10, 12);
}

TEST(ImageFolder, ABadFileIsNamed) {
  const TempDir dir;
  put_two(dir, 4, 4);
  put(dir / "train/a/0.png", "text");
  put(dir / "train/a/00.jpg", "\xff\xd8\xff cut");
  put_ramp(dir / "train/a/000.png", 2, 250);
  const auto set = open_set("image-folder", dir.path(), {"resize=4"});
  EXPECT_ERROR(read_sample(*set, Part::kTrain, 0), "0.png: found neither a PNG nor a JPEG");
  EXPECT_ERROR(read_sample(*set, Part::kTrain, 1), "00.jpg: found a JPEG that cannot be read");
  EXPECT_ERROR(read_sample(*set, Part::kTrain, 2), "000.png: found a picture of 2x250 pixels");
}

}  // namespace
}  // namespace spikenm::data
