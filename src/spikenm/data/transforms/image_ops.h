// Image operations on 8-bit planes, with Pillow's arithmetic: the parts of AutoAugment and later
// methods. Magnitudes mean the same as in torchvision.
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

// In torchvision's order; RandAugment and TrivialAugment draw from all except the last.
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

// Magnitudes: shears in pixels per pixel, translations in pixels (truncated to whole ones),
// rotation in degrees counterclockwise; brightness, colour, contrast and sharpness change by this
// share; posterize keeps this many bits; solarize inverts values of at least this. Other operations
// have none. Pixels from outside the image are black; geometric operations take the nearest pixel.
void apply_op(Image& image, ImageOp op, double magnitude);

// Calls edit() on every frame of a sample, rounded to 8 bits.
void edit_frames(Sample& sample, const std::function<void(Image&)>& edit);

}  // namespace spikenm::data
