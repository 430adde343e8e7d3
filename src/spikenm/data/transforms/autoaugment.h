// The magnitude of an operation at a bin of torchvision's scales, for AutoAugment, RandAugment and
// TrivialAugment.
#pragma once

#include "spikenm/data/transforms/image_ops.h"
#include "spikenm/data/transforms/transform.h"

namespace spikenm::data {

// The largest magnitudes.
struct OpRanges {
  double shear = 0.3, translate_x = 0, translate_y = 0, rotate = 30;
  double enhance = 0.9;  // brightness, colour, contrast, sharpness
  double posterize = 4;  // bits lost
};

// The ranges of AutoAugment and RandAugment: translations are proportional to the image's size.
OpRanges image_ranges(const SampleShape& shape);

// The magnitude at bin 0 .. n_bins-1; negative when `negative` and the operation has a direction.
double op_magnitude(ImageOp op, int64_t bin, int64_t n_bins, const OpRanges& ranges, bool negative);

// Throws an Error unless samples are images of 1 or 3 channels.
void require_images(const TransformContext& context);

}  // namespace spikenm::data
