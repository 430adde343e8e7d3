// A raw batch as the arguments of the augmentation kernel.
#pragma once

#include "spikenm/data/loader.h"
#include "spikenm/kernels/augment.h"

namespace spikenm::test {

// With the channels innermost in memory, or outermost; `out` is still missing.
inline kernels::Augment augment_args(const data::Batch& batch, bool channels_last) {
  const auto [T, C, H, W] = batch.shape;
  const data::RawImages& raw = batch.raw;
  const data::Mix& mix = raw.mix;
  return {.B = batch.size(),
          .C = C,
          .H = H,
          .W = W,
          .pixels = raw.pixels.get(),
          .edits = raw.edits.data(),
          .channels = raw.channels.data(),
          .mix = {.partner = mix.partner.empty() ? nullptr : mix.partner.data(),
                  .share = static_cast<float>(mix.share),
                  .rest = static_cast<float>(1 - mix.share),
                  .boxed = mix.box,
                  .box = {static_cast<int32_t>(mix.top), static_cast<int32_t>(mix.bottom),
                          static_cast<int32_t>(mix.left), static_cast<int32_t>(mix.right)}},
          .stride_b = C * H * W,
          .stride_c = channels_last ? 1 : H * W,
          .stride_y = channels_last ? W * C : W,
          .stride_x = channels_last ? C : 1};
}

}  // namespace spikenm::test
