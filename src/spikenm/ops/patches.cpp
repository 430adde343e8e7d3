#include "spikenm/ops/patches.h"

#include <ATen/ATen.h>

namespace spikenm::ops {
namespace {

int64_t filled(int64_t columns) {
  return (columns + 7) / 8 * 8;
}

}  // namespace

Tensor patches(const Tensor& rows, const Tensor& weight, const SynapseGeometry& g) {
  const Tensor x = at::constant_pad_nd(rows, {g.padding, g.padding, g.padding, g.padding})
                       .permute({0, 2, 3, 1});  // [N,H,W,C]
  const int64_t kh = weight.size(2), kw = weight.size(3);
  const int64_t height = (x.size(1) - kh) / g.stride + 1, width = (x.size(2) - kw) / g.stride + 1;
  std::vector<Tensor> taps;
  for (int64_t i = 0; i < kh; ++i)
    for (int64_t j = 0; j < kw; ++j)
      taps.push_back(x.slice(1, i, i + (height - 1) * g.stride + 1, g.stride)
                         .slice(2, j, j + (width - 1) * g.stride + 1, g.stride));
  const int64_t columns = kh * kw * x.size(3);
  if (filled(columns) > columns)
    taps.push_back(
        at::zeros({1}, x.options()).expand({x.size(0), height, width, filled(columns) - columns}));
  return at::cat(taps, 3).flatten(0, 2);
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
