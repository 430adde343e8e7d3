#include "spikenm/ops/pool.h"

#include "spikenm/core/error.h"
#include "spikenm/ops/saved.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace spikenm::ops {
namespace {

using kernels::PoolShape;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// `chosen` is as kernels/pool.h writes it; empty for an average.
struct Pooled {
  Tensor values, chosen;
};

PoolShape pool_shape(const Tensor& x, const PoolGeometry& geometry) {
  return {
      .geometry = geometry, .n = x.size(0) * x.size(1), .height = x.size(3), .width = x.size(4)};
}

Pooled pool_values(const Tensor& input, const PoolGeometry& geometry) {
  const Tensor x = channels_last(input);
  const PoolShape shape = pool_shape(x, geometry);
  const std::vector<int64_t> sizes{x.size(0), x.size(1), x.size(2), shape.out_height(),
                                   shape.out_width()};
  const at::TensorOptions bytes = x.options().dtype(at::kByte);
  const bool is_max = geometry.kind == PoolKind::kMax;

  Pooled made{.values = empty_channels_last(sizes, x.options()),
              .chosen = is_max ? empty_channels_last(sizes, bytes) : at::empty({0}, bytes)};

  if (x.is_cuda()) {
    kernels::pool_forward_cuda(shape, x.size(2), real_of(x), x.const_data_ptr(),
                               made.values.mutable_data_ptr(), data<uint8_t>(made.chosen),
                               current_stream());
    return made;
  }

  check_real(x, "pool: input");
  dispatch_real(x, [&](auto zero) {
    using T = decltype(zero);
    kernels::pool_forward<T>(shape, x.size(2), data<T>(x), data<T>(made.values),
                             data<uint8_t>(made.chosen));
  });
  return made;
}

class PoolFunction : public torch::autograd::Function<PoolFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const PoolGeometry& geometry) {
    const Pooled made = pool_values(x, geometry);
    ctx->save_for_backward({made.chosen});
    ctx->saved_data["geometry"] = save_value(geometry);
    ctx->saved_data["sizes"] = x.sizes().vec();
    return made.values;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const Tensor grad = channels_last(grads[0]), chosen = ctx->get_saved_variables()[0];
    Tensor grad_x = empty_channels_last(ctx->saved_data["sizes"].toIntVector(), grad.options());
    const PoolShape shape =
        pool_shape(grad_x, saved_value<PoolGeometry>(ctx->saved_data["geometry"]));
    if (grad.is_cuda()) {
      kernels::pool_backward_cuda(shape, grad.size(2), real_of(grad), grad.const_data_ptr(),
                                  data<uint8_t>(chosen), grad_x.mutable_data_ptr(),
                                  current_stream());
      return {grad_x, Tensor()};
    }

    check_real(grad, "pool: gradient");
    dispatch_real(grad, [&](auto zero) {
      using T = decltype(zero);
      kernels::pool_backward<T>(shape, grad.size(2), data<T>(grad), data<uint8_t>(chosen),
                                data<T>(grad_x));
    });
    return {grad_x, Tensor()};
  }
};

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
  return PoolFunction::apply(x, g);
}

}  // namespace spikenm::ops
