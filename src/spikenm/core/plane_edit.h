// The part of augmentation that a GPU can do, as plain numbers: pixels are moved together, one box
// is blanked, channels are scaled, images are mixed. data/transforms chooses the numbers and can do
// the work on the CPU. train/batch_tensors.cpp hands them to ops/augment.h, whose kernel
// (kernels/augment.h) does the same work, bit for bit, for a whole batch.
#pragma once

#include "spikenm/core/host_device.h"

#include <cstdint>

namespace spikenm {

// Rows [top,bottom) and columns [left,right); empty when bottom <= top or right <= left.
struct Box {
  int32_t top = 0, bottom = 0, left = 0, right = 0;

  [[nodiscard]] bool is_empty() const { return bottom <= top || right <= left; }
  [[nodiscard]] SPIKENM_HD bool contains(int64_t y, int64_t x) const {
    return y >= top && y < bottom && x >= left && x < right;
  }
  bool operator==(const Box&) const = default;
};

// How every plane of one sample is changed. Pixel (y,x) has the hole's colour inside `hole`; else,
// inside `kept`, it is the pixel that was at (row(y), column(x)); else it is 0.
struct PlaneEdit {
  int32_t dy = 0, dx = 0;
  bool mirrored = false;
  Box kept, hole;

  [[nodiscard]] SPIKENM_HD int64_t row(int64_t y) const { return y + dy; }
  [[nodiscard]] SPIKENM_HD int64_t column(int64_t x) const { return mirrored ? dx - x : dx + x; }
  bool operator==(const PlaneEdit&) const = default;
};

// The edit that changes nothing.
PlaneEdit whole_plane(int64_t height, int64_t width);

// `first`, then `second`, as one edit. At most one of them may have a hole.
PlaneEdit combine(const PlaneEdit& first, const PlaneEdit& second);

// How the values of one channel are changed, after the PlaneEdit: v * scale - offset.
struct ChannelEdit {
  float fill = 0;  // the hole's colour, before it is scaled
  float scale = 1, offset = 0;

  [[nodiscard]] SPIKENM_HD float apply(float v) const { return v * scale - offset; }
};

// The last step: how each image of a batch is mixed with its partner: share * own + rest *
// partner's. If `boxed`, an image has its partner's pixels inside the box and its own pixels
// outside.
struct MixEdit {
  float share = 1, rest = 0;
  bool boxed = false;
  Box box;

  [[nodiscard]] SPIKENM_HD float blend(float own, float partner) const {
    return share * own + rest * partner;
  }
};

}  // namespace spikenm
