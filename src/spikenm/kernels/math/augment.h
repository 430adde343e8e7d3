// One pixel of an augmented batch.
#pragma once

#include "spikenm/kernels/augment.h"

namespace spikenm::kernels {

SPIKENM_HD float edited_value(const Augment& a, int64_t b, int64_t c, int64_t y, int64_t x) {
  const PlaneEdit& edit = a.edits[b];
  const ChannelEdit& channel = a.channels[c];
  float value = 0;
  if (edit.hole.contains(y, x))
    value = channel.fill;
  else if (edit.kept.contains(y, x))
    value = a.pixels[((b * a.C + c) * a.H + edit.row(y)) * a.W + edit.column(x)];
  return channel.apply(value);
}

SPIKENM_HD float augmented_value(const Augment& a, int64_t b, int64_t c, int64_t y, int64_t x) {
  const MixEdit& mix = a.mix;
  const float own = edited_value(a, b, c, y, x);
  if (a.partner == nullptr || (mix.boxed && !mix.box.contains(y, x))) return own;
  const float other = edited_value(a, a.partner[b], c, y, x);
  return mix.boxed ? other : mix.blend(own, other);
}

// All channels of pixel `i` of B*H*W.
SPIKENM_HD void augment_pixel(const Augment& a, int64_t i) {
  const int64_t x = i % a.W, y = i / a.W % a.H, b = i / (a.W * a.H);
  float* const to = a.out + b * a.stride_b + y * a.stride_y + x * a.stride_x;
  for (int64_t c = 0; c < a.C; ++c) to[c * a.stride_c] = augmented_value(a, b, c, y, x);
}

}  // namespace spikenm::kernels
