#include "spikenm/ops/flatten.h"

#include "spikenm/kernels/transpose.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace spikenm::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// On a GPU maps are channels-last, so flattening one is a transpose.
class FlattenFunction : public torch::autograd::Function<FlattenFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& input) {
    const Tensor x = channels_last(input);
    ctx->saved_data["sizes"] = x.sizes().vec();
    Tensor y = at::empty({x.size(0), x.size(1), x.numel() / (x.size(0) * x.size(1))}, x.options());
    kernels::transpose_cuda(x.size(0) * x.size(1), x.size(3) * x.size(4), x.size(2), real_of(x),
                            x.const_data_ptr(), y.mutable_data_ptr(), current_stream());
    return y;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const std::vector<int64_t> sizes = ctx->saved_data["sizes"].toIntVector();
    const Tensor grad = grads[0].contiguous();
    Tensor grad_x = empty_channels_last(sizes, grad.options());
    kernels::transpose_cuda(sizes[0] * sizes[1], sizes[2], sizes[3] * sizes[4], real_of(grad),
                            grad.const_data_ptr(), grad_x.mutable_data_ptr(), current_stream());
    return {grad_x};
  }
};

}  // namespace

Tensor flatten(const Tensor& x) {
  if (x.dim() != 5) return x;
  return x.is_cuda() && x.numel() > 0 ? FlattenFunction::apply(x) : x.flatten(2);
}

}  // namespace spikenm::ops
