// Raw images -> the batch a network sees, on the CPU or a GPU.
#pragma once

#include "spikenm/core/plane_edit.h"

#include <ATen/core/Tensor.h>

namespace spikenm::ops {

// All tensors on one device.
struct AugmentInputs {
  at::Tensor pixels;    // [B,C,H,W] bytes
  at::Tensor edits;     // B PlaneEdits, as bytes
  at::Tensor channels;  // C ChannelEdits, as bytes
  at::Tensor partner;   // [B] int64; undefined: nothing is mixed
  MixEdit mix;
};

// Returns [B,C,H,W] float; on a GPU the channels are innermost in memory, as its convolutions want
// them.
at::Tensor augment(const AugmentInputs& inputs);

}  // namespace spikenm::ops
