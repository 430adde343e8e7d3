// A raw batch as the arguments of the augmentation kernel.
#pragma once

#include "spikenm/data/loader.h"
#include "spikenm/kernels/augment.h"

namespace spikenm::test {

// With the channels innermost in memory, or outermost; `out` is still missing.
inline kernels::Augment augment_args(const data::Batch& batch, bool channels_last) {
  const auto [T, C, H, W] = batch.shape;
  const data::RawImages& raw = batch.raw;
  return {.B = batch.size(),
          .C = C,
          .H = H,
          .W = W,
          .pixels = raw.pixels.get(),
          .edits = raw.edits.data(),
          .channels = raw.channels.data(),
          .partner = raw.mix.partner.empty() ? nullptr : raw.mix.partner.data(),
          .mix = raw.mix.edit(),
          .stride_b = C * H * W,
          .stride_c = channels_last ? 1 : H * W,
          .stride_y = channels_last ? W * C : W,
          .stride_x = channels_last ? C : 1};
}

}  // namespace spikenm::test
