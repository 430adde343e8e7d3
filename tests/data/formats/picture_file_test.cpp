#include "spikenm/data/formats/picture_file.h"

#include "spikenm/core/file.h"
#include "spikenm/data/formats/jpeg.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>

namespace spikenm::data {
namespace {

std::string corpus(const std::string& name) {
  return read_file(std::filesystem::path(SPIKENM_SOURCE_DIR) / "fuzz/corpus/picture" / name);
}

spikenm::Picture read(const std::string& bytes, bool gray, const UnpackLimit& limit = {}) {
  return read_picture(as_bytes(bytes), gray, "a.jpg", limit);
}

TEST(PictureFile, IsKnownByItsContent) {
  EXPECT_GT(read(corpus("rgb.png"), false).width, 0);
  EXPECT_EQ(read(corpus("two_colours.jpg"), false).width, 24);
  EXPECT_ERROR(read("", false), "a.jpg: found an empty file");
  EXPECT_ERROR(read("GIF89a", false), "a.jpg: found neither a PNG nor a JPEG picture");
}

TEST(PictureFile, JpegsGiveTheirColours) {
  for (const char* name : {"two_colours.jpg", "progressive.jpg"}) {
    const spikenm::Picture picture = read(corpus(name), false);
    ASSERT_EQ(picture.height, 16) << name;
    ASSERT_EQ(picture.pixels.size(), 24U * 16 * 3);
    const size_t right = static_cast<size_t>(8 * 24 + 22) * 3;
    EXPECT_NEAR(picture.pixels[0], 200, 12) << name;
    EXPECT_NEAR(picture.pixels[2], 10, 12) << name;
    EXPECT_NEAR(picture.pixels[right], 10, 12) << name;
    EXPECT_NEAR(picture.pixels[right + 2], 200, 12) << name;
  }
  const spikenm::Picture gray = read(corpus("gray.jpg"), true);
  ASSERT_EQ(gray.pixels.size(), 24U * 16);
  EXPECT_NEAR(gray.pixels[20], 160, 8);
  EXPECT_EQ(read(corpus("gray.jpg"), false).pixels.size(), 24U * 16 * 3);
  EXPECT_NEAR(read(corpus("two_colours.jpg"), true).pixels[0], 67, 10);
}

// libjpeg's own way is to end the process, or to make up the pixels that are missing.
TEST(PictureFile, DamagedJpegsAreOneError) {
  EXPECT_ERROR(read(corpus("cut.jpg"), false), "a.jpg: found a JPEG that cannot be read: ");
  EXPECT_ERROR(read("\xff\xd8\xff", false), "a.jpg: found a JPEG that cannot be read: ");
  const std::string good = corpus("progressive.jpg");
  for (size_t i = 3; i < good.size(); i += 7) {
    std::string bad = good;
    bad[i] = static_cast<char>(~bad[i]);
    try {
      static_cast<void>(read(bad, false));
    } catch (const Error& e) {
      EXPECT_TRUE(std::string(e.what()).starts_with("a.jpg: ")) << e.what();
    }
  }
}

TEST(PictureFile, NothingUnpacksBeyondTheLimit) {
  const UnpackLimit small{100, "--limit"};
  for (const char* name : {"two_colours.jpg", "rgb.png"}) {
    std::string large = corpus(name);
    const bool is_png = name[0] == 'r';
    // 16,000 x 16,000 pixels, where the header says so.
    const size_t at = is_png ? 16 : large.find("\xff\xc0") + 5;
    const std::string sides =
        is_png ? std::string("\0\0\x3e\x80\0\0\x3e\x80", 8) : "\x3e\x80\x3e\x80";
    large.replace(at, sides.size(), sides);
    EXPECT_ERROR(read(large, false, small), "would unpack to more than", "--limit lifts the limit");
  }
}

}  // namespace
}  // namespace spikenm::data
