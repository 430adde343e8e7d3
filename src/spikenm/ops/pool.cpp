#include "spikenm/ops/pool.h"

#include "spikenm/core/error.h"
#include "spikenm/ops/kept.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace spikenm::ops {
namespace {

using kernels::PoolShape;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class PoolFunction : public torch::autograd::Function<PoolFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& input, PoolKind kind, int64_t size) {
    const Tensor x = checked(input, "pool: input");
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes[3] /= size;
    sizes[4] /= size;
    const PoolShape shape{.kind = kind,
                          .n = x.size(0) * x.size(1) * x.size(2),
                          .height = x.size(3),
                          .width = x.size(4),
                          .size = size};
    Tensor y = at::empty(sizes, x.options());
    const Tensor chosen = at::empty(
        kind == PoolKind::kMax ? at::IntArrayRef(sizes) : at::IntArrayRef({0}), at::kByte);
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
    return {grad_x, Tensor(), Tensor()};
  }
};

}  // namespace

Tensor pool(const Tensor& x, PoolKind kind, int64_t size) {
  SPIKENM_CHECK(
      x.dim() == 5 && size >= 1 && size <= 15 && x.size(3) >= size && x.size(4) >= size,
      "pool: found a {}-d input of {}x{}, wanted [T,B,C,H,W] of at least the {}x{} window", x.dim(),
      x.dim() == 5 ? x.size(3) : 0, x.dim() == 5 ? x.size(4) : 0, size, size);
  return PoolFunction::apply(x, kind, size);
}

}  // namespace spikenm::ops
