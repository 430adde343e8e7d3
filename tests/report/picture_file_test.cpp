#include "spikenm/report/picture_file.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <cstdlib>

namespace spikenm::report {
namespace {

constexpr const char* kSvg =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"3\"></svg>";

TEST(PictureFile, SvgIsWrittenAsItIs) {
  const test::TempDir dir;
  EXPECT_EQ(write_picture(kSvg, dir / "a.svg"), dir / "a.svg");
  EXPECT_EQ(read_file(dir / "a.svg"), kSvg);
}

TEST(PictureFile, OtherNamesAreRefused) {
  EXPECT_ERROR(check_picture_name("a.pdf"), "a.pdf", "'.pdf'", ".svg or .png");
  EXPECT_ERROR(check_picture_name("a"), "no ending");
}

TEST(PictureFile, PngIsMadeWhereItCanBe) {
  const test::TempDir dir;
  const std::string png = png_of(kSvg, "a");
  if (png.empty()) GTEST_SKIP() << "no rsvg-convert here";
  EXPECT_TRUE(png.starts_with("\x89PNG"));
  EXPECT_EQ(write_picture(kSvg, dir / "a.png"), dir / "a.png");
  EXPECT_EQ(read_file(dir / "a.png"), png);
  EXPECT_ERROR(png_of("no svg", "b.png"), "b.png", "rsvg-convert ended with");
}

TEST(PictureFile, WithoutTheProgramThereIsAnSvgAndANote) {
  const test::TempDir dir;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", dir.path().c_str(), 1);
  testing::internal::CaptureStderr();
  const auto written = write_picture(kSvg, dir / "a.png");
  const std::string note = testing::internal::GetCapturedStderr();
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(written, dir / "a.svg");
  EXPECT_EQ(read_file(dir / "a.svg"), kSvg);
  EXPECT_NE(note.find("rsvg-convert (Debian: librsvg2-bin)"), std::string::npos) << note;
}

}  // namespace
}  // namespace spikenm::report
