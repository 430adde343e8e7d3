// Raw images -> a batch: every sample moved and blanked as its edit says, every channel scaled,
// then mixed with a partner from the batch [Zhang18] [Yun19]. The same bits on a CPU and a GPU.
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
  float* out = nullptr;                                            // [B,C,H,W], with
  int64_t stride_b = 0, stride_c = 0, stride_y = 0, stride_x = 0;  // these steps in memory
};

void augment(const Augment& args);
void augment_cuda(const Augment& args, void* stream);

}  // namespace spikenm::kernels
