#include "spikenm/data/transforms/image_ops.h"

#include "support/samples.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::data {
namespace {

using test::fold;
using test::formula_image;

Image edited(Image image, ImageOp op, double magnitude) {
  apply_op(image, op, magnitude);
  return image;
}

struct Wanted {
  ImageOp op;
  double magnitude;
  std::vector<uint8_t> pixels;
};

// Pillow 13 on a 4x5 RGB image, called as torchvision's functions call it.
const Wanted kWanted[] = {
    {ImageOp::kShearX, 0.3, {0,   42,  94,  156, 228, 61,  114, 177, 250, 77,  186, 4,
                             88,  182, 0,   2,   87,  182, 31,  0,   101, 143, 195, 1,
                             73,  162, 215, 22,  95,  178, 31,  105, 189, 27,  0,   103,
                             188, 27,  132, 0,   202, 244, 40,  102, 174, 7,   60,  123,
                             196, 23,  132, 206, 34,  128, 0,   204, 33,  128, 233, 0}},
    {ImageOp::kRotate, -30, {61,  61,  42,  94,  0,   122, 186, 177, 250, 156, 2,   186,
                             4,   250, 77,  0,   87,  182, 182, 182, 162, 162, 143, 195,
                             0,   223, 31,  22,  95,  1,   103, 31,  105, 95,  178, 0,
                             188, 27,  27,  27,  7,   7,   244, 40,  0,   68,  132, 123,
                             196, 102, 204, 132, 206, 196, 23,  0,   33,  128, 128, 128}},
    {ImageOp::kColor, 0.9, {0,   0, 46,  243, 255, 13,  66,  255, 255, 29,  74,  255, 0, 40,  255,
                            255, 0, 39,  255, 0,   118, 160, 238, 0,   20,  205, 255, 0, 42,  221,
                            255, 0, 122, 232, 0,   0,   120, 231, 0,   149, 255, 255, 0, 140, 212,
                            0,   0, 161, 234, 0,   0,   170, 255, 0,   166, 167, 255, 0, 166, 255}},
    {ImageOp::kSharpness, 0.9, {0,   42,  94,  156, 228, 61,  129, 210, 255, 77,  122, 237,
                                0,   68,  182, 183, 2,   87,  182, 31,  101, 143, 195, 1,
                                73,  162, 255, 0,   93,  178, 223, 0,   103, 240, 27,  28,
                                103, 188, 27,  132, 202, 244, 40,  102, 174, 7,   22,  121,
                                247, 23,  68,  147, 255, 0,   128, 129, 204, 33,  128, 233}},
    {ImageOp::kContrast, -0.6, {68,  85,  106, 130, 159, 92,  114, 139, 168, 99,  117, 142,
                                70,  103, 141, 141, 69,  103, 141, 80,  108, 125, 146, 68,
                                97,  133, 154, 77,  106, 139, 157, 80,  110, 144, 79,  79,
                                109, 143, 79,  121, 149, 166, 84,  109, 138, 71,  92,  117,
                                146, 77,  95,  121, 150, 82,  119, 120, 150, 81,  119, 161}},
    {ImageOp::kBrightness, 0.7, {0,   71,  159, 255, 255, 103, 193, 255, 255, 130, 207, 255,
                                 6,   149, 255, 255, 3,   147, 255, 52,  171, 243, 255, 1,
                                 124, 255, 255, 37,  161, 255, 255, 52,  178, 255, 45,  47,
                                 175, 255, 45,  224, 255, 255, 68,  173, 255, 11,  102, 209,
                                 255, 39,  115, 224, 255, 57,  217, 219, 255, 56,  217, 255}},
    {ImageOp::kSolarize, 128, {0,  42, 94,  99, 27, 61,  114, 78, 5,  77,  122, 69, 4,  88,  73,
                               72, 2,  87,  73, 31, 101, 112, 60, 1,  73,  93,  40, 22, 95,  77,
                               32, 31, 105, 66, 27, 28,  103, 67, 27, 123, 53,  11, 40, 102, 81,
                               7,  60, 123, 59, 23, 68,  123, 49, 34, 127, 126, 51, 33, 127, 22}},
    {ImageOp::kAutoContrast, 0, {0,   42,  95,  159, 232, 62,  116, 180, 255, 78,  124, 189,
                                 4,   89,  185, 186, 2,   88,  185, 31,  114, 163, 222, 0,
                                 82,  184, 245, 24,  107, 203, 255, 34,  119, 215, 29,  31,
                                 117, 214, 29,  150, 209, 255, 35,  102, 179, 0,   57,  124,
                                 203, 17,  65,  134, 214, 29,  130, 131, 211, 27,  130, 243}},
    {ImageOp::kPosterize, 3, {0,   32,  64,  128, 224, 32,  96,  160, 224, 64,  96,  160,
                              0,   64,  160, 160, 0,   64,  160, 0,   96,  128, 192, 0,
                              64,  160, 192, 0,   64,  160, 192, 0,   96,  160, 0,   0,
                              96,  160, 0,   128, 192, 224, 32,  96,  160, 0,   32,  96,
                              192, 0,   64,  128, 192, 32,  128, 128, 192, 32,  128, 224}},
};

TEST(ImageOps, SmallImageIsWhatPillowMakesOfIt) {
  for (const Wanted& w : kWanted)
    EXPECT_EQ(edited(formula_image(3, 4, 5, 0, 256), w.op, w.magnitude).pixels, w.pixels)
        << static_cast<int>(w.op);
}

struct WantedFold {
  ImageOp op;
  double magnitude;
  uint32_t folds[3];  // of a 32x32 and a 7x11 RGB image and of a 28x20 gray one
};

// Pillow 13 likewise.
const WantedFold kFolds[] = {
    {ImageOp::kShearX, 0.3, {148749438u, 3328350108u, 922785887u}},
    {ImageOp::kShearX, -0.99, {3350468552u, 2574986198u, 2794509299u}},
    {ImageOp::kShearY, -0.266666681, {3830784203u, 3837318600u, 3303290153u}},
    {ImageOp::kShearY, 0.99, {3179006696u, 2574810338u, 4235221717u}},
    {ImageOp::kTranslateX, 14.5, {2251578416u, 0u, 1108223064u}},
    {ImageOp::kTranslateX, -3.9, {1199607072u, 1827047184u, 1161514922u}},
    {ImageOp::kTranslateY, -4.8, {4169344416u, 830133285u, 718187286u}},
    {ImageOp::kTranslateY, 32, {0u, 0u, 0u}},
    {ImageOp::kRotate, 6.6666665, {3288665209u, 2370326341u, 718057379u}},
    {ImageOp::kRotate, -30, {3651701485u, 91505101u, 1614668165u}},
    {ImageOp::kRotate, 90, {3642198784u, 573273529u, 3332813798u}},
    {ImageOp::kRotate, 135, {3376669354u, 3329615869u, 1786017809u}},
    {ImageOp::kBrightness, -0.9, {4262776282u, 3524366291u, 3964109116u}},
    {ImageOp::kBrightness, 0.7, {3137379982u, 2921173443u, 1818629201u}},
    {ImageOp::kColor, -0.3, {1345254386u, 1852777220u, 437725056u}},
    {ImageOp::kColor, 0.9, {1699325726u, 3538744278u, 437725056u}},
    {ImageOp::kContrast, -0.6, {839247699u, 1664673952u, 2059212096u}},
    {ImageOp::kContrast, 0.9, {2826281714u, 161351478u, 2506249190u}},
    {ImageOp::kSharpness, -0.9, {867756047u, 1891019590u, 2625776516u}},
    {ImageOp::kSharpness, 0.9, {2933424701u, 3656566864u, 3139643580u}},
    {ImageOp::kPosterize, 5, {3858758144u, 2279169912u, 2345806800u}},
    {ImageOp::kPosterize, 2, {1723172416u, 3190326144u, 4168659456u}},
    {ImageOp::kSolarize, 198.333328, {1836826197u, 3437274027u, 437725056u}},
    {ImageOp::kSolarize, 0, {1577649408u, 1804658612u, 3642119552u}},
    {ImageOp::kAutoContrast, 0, {2283682560u, 1814982773u, 2050429581u}},
    {ImageOp::kEqualize, 0, {3775629248u, 3437274027u, 1284740696u}},
    {ImageOp::kInvert, 0, {1577649408u, 1804658612u, 3642119552u}},
};

TEST(ImageOps, EveryPixelIsWhatPillowMakesOfIt) {
  const Image images[] = {formula_image(3, 32, 32, 0, 256), formula_image(3, 7, 11, 40, 150),
                          formula_image(1, 28, 20, 90, 70)};
  for (const WantedFold& w : kFolds)
    for (size_t i = 0; i < 3; ++i)
      EXPECT_EQ(fold(edited(images[i], w.op, w.magnitude).pixels), w.folds[i])
          << "operation " << static_cast<int>(w.op) << " by " << w.magnitude << " on image " << i;
}

TEST(ImageOps, NoMagnitudeChangesNothing) {
  const Image image = formula_image(3, 9, 8, 0, 256);
  for (int op = static_cast<int>(ImageOp::kIdentity); op <= static_cast<int>(ImageOp::kSharpness);
       ++op)
    EXPECT_EQ(edited(image, static_cast<ImageOp>(op), 0).pixels, image.pixels) << op;
  EXPECT_EQ(edited(image, ImageOp::kPosterize, 8).pixels, image.pixels);
  EXPECT_EQ(edited(image, ImageOp::kSolarize, 256).pixels, image.pixels);
}

TEST(ImageOps, GrayHasNoColourToChange) {
  const Image image = formula_image(1, 5, 5, 0, 256);
  EXPECT_EQ(edited(image, ImageOp::kColor, 0.9).pixels, image.pixels);
}

TEST(ImageOps, FlatImagesAreNotStretched) {
  const Image image = formula_image(3, 20, 20, 77, 1);
  EXPECT_EQ(edited(image, ImageOp::kAutoContrast, 0).pixels, image.pixels);
  EXPECT_EQ(edited(image, ImageOp::kEqualize, 0).pixels, image.pixels);
}

TEST(ImageOps, KeepTheSizeOfTheSmallestImages) {
  for (const auto& [height, width] : {std::pair(1, 1), {1, 2}, {2, 1}, {2, 2}, {1, 40}, {3, 3}}) {
    for (const int channels : {1, 3}) {
      const Image image = formula_image(channels, height, width, 0, 256);
      for (int op = 0; op <= static_cast<int>(ImageOp::kInvert); ++op)
        for (const double magnitude : {-0.9, 0.9})
          EXPECT_EQ(edited(image, static_cast<ImageOp>(op), magnitude).pixels.size(),
                    image.pixels.size());
    }
  }
}

TEST(ImageOps, FramesAreRoundedToEightBits) {
  Sample sample{.shape = {2, 1, 1, 4}, .values = {-3, 0.4f, 0.5f, 254.6f, 300, NAN, 127.2f, 255}};
  int n_frames = 0;
  edit_frames(sample, [&](Image& image) {
    EXPECT_EQ(image.height, 1);
    EXPECT_EQ(image.width, 4);
    n_frames += image.channels == 1;
  });
  EXPECT_EQ(n_frames, 2);
  EXPECT_EQ(sample.values, (std::vector<float>{0, 0, 1, 255, 255, 0, 127, 255}));
}

}  // namespace
}  // namespace spikenm::data
