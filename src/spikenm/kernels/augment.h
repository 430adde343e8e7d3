// Raw images -> a batch. Each sample is moved and blanked as its edit says, each channel is scaled,
// then samples are mixed with a partner from the batch [Zhang18] [Yun19]. CPU and GPU give the same
// bits.
#pragma once

#include "spikenm/core/plane_edit.h"

#include <cstdint>

namespace spikenm::kernels {

struct Augment {
  int64_t B = 0, C = 0, H = 0, W = 0;
  const uint8_t* pixels = nullptr;        // [B,C,H,W]
  const PlaneEdit* edits = nullptr;       // [B]
  const ChannelEdit* channels = nullptr;  // [C]
  const int64_t* partner = nullptr;       // [B]; null: nothing is mixed
  MixEdit mix;
  float* out = nullptr;  // [B,C,H,W], at the strides below
  int64_t stride_b = 0, stride_c = 0, stride_y = 0, stride_x = 0;  // in elements
};

void augment(const Augment& args);
void augment_cuda(const Augment& args, void* stream);

}  // namespace spikenm::kernels
