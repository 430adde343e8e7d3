// Raw images -> the batch that a network reads, on the CPU or a GPU.
#pragma once

#include "spikenm/core/plane_edit.h"

#include <ATen/core/Tensor.h>

namespace spikenm::ops {

// All tensors must be on one device.
struct AugmentInputs {
  at::Tensor pixels;    // [B,C,H,W] bytes
  at::Tensor edits;     // B PlaneEdits, as bytes
  at::Tensor channels;  // C ChannelEdits, as bytes
  at::Tensor partner;   // [B] int64; undefined: nothing is mixed
  MixEdit mix;
};

// Returns [B,C,H,W] float; on a GPU channels-last in memory, which its convolutions need.
at::Tensor augment(const AugmentInputs& inputs);

}  // namespace spikenm::ops
