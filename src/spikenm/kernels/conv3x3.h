// 3x3 convolution with stride 1 and padding 1, and its gradients, by Winograd's F(2x2, 3x3)
// [Lavin16]: each 2x2 tile of outputs takes 16 products instead of 36. It is as exact as plain
// sums, because the transforms only add, subtract and halve.
//
//   input 4x4 -> B^T d B,  weight 3x3 -> G g G^T,
//   16 matrix products over the channels, one per place of the 4x4 -> m,
//   m -> A^T m A, output 2x2
//
// Activations are channels-last [images, height, width, channels], weights [cout, cin, 3, 3]. The
// result has the same bits for any number of threads.
#pragma once

#include "spikenm/core/cpu_features.h"

#include <cstdint>

namespace spikenm::kernels {

struct Conv3x3 {
  int64_t images = 0, height = 0, width = 0;
  int64_t cin = 0, cout = 0;
};

// Whether this instruction-set level has a vector form.
bool has_conv3x3(Isa isa = active_isa());

// Floats of scratch memory that each call needs.
int64_t conv3x3_workspace(const Conv3x3& shape);

void conv3x3_forward(const Conv3x3& shape, const float* x, const float* weight, float* y,
                     float* workspace, Isa isa = active_isa());
void conv3x3_grad_input(const Conv3x3& shape, const float* grad_y, const float* weight,
                        float* grad_x, float* workspace, Isa isa = active_isa());
void conv3x3_grad_weight(const Conv3x3& shape, const float* x, const float* grad_y,
                         float* grad_weight, float* workspace, Isa isa = active_isa());

}  // namespace spikenm::kernels
