#include "spikenm/ops/patches.h"

#include "spikenm/kernels/patches.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>

namespace spikenm::ops {
namespace {

int64_t filled(int64_t columns) {
  return (columns + 7) / 8 * 8;
}

}  // namespace

Tensor patches(const Tensor& rows, const Tensor& weight, const SynapseGeometry& g) {
  const int64_t kh = weight.size(2), kw = weight.size(3);
  const int64_t height = g.out(rows.size(2), kh), width = g.out(rows.size(3), kw);
  const int64_t columns = filled(kh * kw * rows.size(1));
  Tensor made = at::empty({rows.size(0) * height * width, columns}, weight.options());

  kernels::patches_cuda(
      {.n = rows.size(0),
       .channels = rows.size(1),
       .height = rows.size(2),
       .width = rows.size(3),
       .x_strides = {rows.stride(0), rows.stride(1), rows.stride(2), rows.stride(3)},
       .kernel_height = kh,
       .kernel_width = kw,
       .stride = g.stride,
       .padding = g.padding,
       .out_height = height,
       .out_width = width,
       .columns = columns,
       .x_real = real_of(rows),
       .real = real_of(made),
       .x = rows.const_data_ptr(),
       .rows = made.mutable_data_ptr()},
      current_stream());
  return made;
}

Tensor patch_weight(const Tensor& weight) {
  const Tensor matrix = weight.permute({0, 2, 3, 1}).flatten(1);
  return at::constant_pad_nd(matrix, {0, filled(matrix.size(1)) - matrix.size(1)});
}

Tensor from_patch_weight(const Tensor& matrix, at::IntArrayRef sizes) {
  return matrix.narrow(1, 0, sizes[1] * sizes[2] * sizes[3])
      .unflatten(1, {sizes[2], sizes[3], sizes[1]})
      .permute({0, 3, 1, 2})
      .contiguous();
}

}  // namespace spikenm::ops
