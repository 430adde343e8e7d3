// Image operations on 8-bit planes, with Pillow's arithmetic: what AutoAugment and its followers
// are made of. Each takes its magnitude as torchvision's does.
#pragma once

#include "spikenm/data/sample.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace spikenm::data {

struct Image {
  int64_t channels = 0, height = 0, width = 0;  // 1 channel: gray, 3: red, green, blue
  std::vector<uint8_t> pixels;                  // [channels,height,width]

  [[nodiscard]] int64_t plane() const { return height * width; }
};

// In torchvision's order; RandAugment and TrivialAugment draw from all but the last.
enum class ImageOp : uint8_t {
  kIdentity,
  kShearX,
  kShearY,
  kTranslateX,
  kTranslateY,
  kRotate,
  kBrightness,
  kColor,
  kContrast,
  kSharpness,
  kPosterize,
  kSolarize,
  kAutoContrast,
  kEqualize,
  kInvert,
};

// Magnitudes: shears in pixels a pixel, translations in pixels (cut to whole ones), rotation in
// degrees counterclockwise; brightness, colour, contrast and sharpness change by this share;
// posterize keeps so many bits; solarize inverts from this value on. Others have none. What comes
// from outside is black, and the nearest pixel is taken.
void apply_op(Image& image, ImageOp op, double magnitude);

// Calls edit() on every frame of a sample, rounded to 8 bits.
void edit_frames(Sample& sample, const std::function<void(Image&)>& edit);

}  // namespace spikenm::data
