#include "spikenm/ops/pool.h"

#include "spikenm/core/error.h"
#include "spikenm/ops/kept.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace spikenm::ops {
namespace {

using kernels::PoolShape;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class PoolFunction : public torch::autograd::Function<PoolFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& input, const PoolGeometry& geometry) {
    const Tensor x = checked(input, "pool: input");
    const PoolShape shape{.geometry = geometry,
                          .n = x.size(0) * x.size(1) * x.size(2),
                          .height = x.size(3),
                          .width = x.size(4)};
    const std::vector<int64_t> sizes{x.size(0), x.size(1), x.size(2), shape.out_height(),
                                     shape.out_width()};
    Tensor y = at::empty(sizes, x.options());
    const bool is_max = geometry.kind == PoolKind::kMax;
    const Tensor chosen =
        at::empty(is_max ? at::IntArrayRef(sizes) : at::IntArrayRef({0}), at::kByte);
    dispatch_real(x, [&](auto zero) {
      using T = decltype(zero);
      kernels::pool_forward<T>(shape, data<T>(x), data<T>(y), data<uint8_t>(chosen));
    });
    ctx->save_for_backward({chosen});
    ctx->saved_data["shape"] = keep(shape);
    ctx->saved_data["sizes"] = x.sizes().vec();
    return y;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const Tensor grad = checked(grads[0], "pool: gradient");
    const Tensor chosen = ctx->get_saved_variables()[0];
    Tensor grad_x = at::empty(ctx->saved_data["sizes"].toIntVector(), grad.options());
    dispatch_real(grad, [&](auto zero) {
      using T = decltype(zero);
      kernels::pool_backward<T>(kept<PoolShape>(ctx->saved_data["shape"]), data<T>(grad),
                                data<uint8_t>(chosen), data<T>(grad_x));
    });
    return {grad_x, Tensor()};
  }
};

Tensor pool_on_gpu(const Tensor& x, const PoolGeometry& g) {
  const Tensor rows = x.flatten(0, 1);
  const Tensor y = g.kind == PoolKind::kAverage ? at::avg_pool2d(rows, g.size, g.stride)
                                                : at::max_pool2d(rows, g.size, g.stride, g.padding);
  return y.unflatten(0, {x.size(0), x.size(1)});
}

}  // namespace

Tensor pool(const Tensor& x, const PoolGeometry& g) {
  SPIKENM_CHECK(
      g.size >= 1 && g.size <= 15 && g.stride >= 1 && g.padding >= 0 &&
          g.padding <= (g.kind == PoolKind::kMax ? g.size / 2 : 0),
      "pool: found a {0}x{0} window, stride {1}, padding {2}, wanted a size of 1 to 15, a "
      "stride of 1 or more, and padding up to half a max pool's window",
      g.size, g.stride, g.padding);
  SPIKENM_CHECK(
      x.dim() == 5 && std::min(x.size(3), x.size(4)) + 2 * g.padding >= g.size,
      "pool: found a {}-d input of {}x{}, wanted [T,B,C,H,W] of at least the {}x{} window", x.dim(),
      x.dim() == 5 ? x.size(3) : 0, x.dim() == 5 ? x.size(4) : 0, g.size, g.size);
  if (x.is_cuda()) return pool_on_gpu(x, g);
  return PoolFunction::apply(x, g);
}

}  // namespace spikenm::ops
