#include "spikenm/ops/nm_mask.h"

#include "spikenm/core/error.h"
#include "spikenm/ops/kept.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <type_traits>

namespace spikenm::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
kernels::DrawInputs<T> draw_inputs(const MaskDraw& d, const Tensor& logits, const Tensor& weight) {
  return {.layout = d.layout,
          .logits = data<T>(logits),
          .weight = data<T>(weight),
          .kappa = static_cast<T>(d.kappa),
          .noise = static_cast<T>(d.noise),
          .n_draws = d.n_draws,
          .replace = d.replace,
          .seed = d.seed,
          .stream = d.stream,
          .step = d.step};
}

using DrawPointer = std::shared_ptr<const MaskDraw>;

class MaskedWeightFunction : public torch::autograd::Function<MaskedWeightFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& weight, const Tensor& logits,
                        const DrawPointer& draw) {
    const Tensor w = checked(weight, "mask: weight");
    ctx->save_for_backward({w, checked(logits, "mask: logits")});
    ctx->saved_data["draw"] = keep(draw);
    return w * draw->keep;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor &w = saved[0], &logits = saved[1];
    const MaskDraw& draw = *kept<DrawPointer>(ctx->saved_data["draw"]);
    const Tensor grad = checked(grads[0], "mask: gradient");
    Tensor grad_w, grad_logits;
    if (ctx->needs_input_grad(0)) grad_w = draw.dense_weight_grad ? grad : grad * draw.keep;
    if (ctx->needs_input_grad(1)) {
      grad_logits = at::empty_like(logits);
      dispatch_real(w, [&](auto zero) {
        using T = decltype(zero);
        const kernels::StraightThrough<T> args{.draw = draw_inputs<T>(draw, logits, w),
                                               .draws = data<uint8_t>(draw.draws),
                                               .weight = data<T>(w),
                                               .grad_effective = data<T>(grad),
                                               .tau = static_cast<T>(draw.tau),
                                               .or_gradient = draw.or_gradient,
                                               .grad_logits = data<T>(grad_logits)};
        if constexpr (std::is_same_v<T, float>) {
          if (w.is_cuda()) {
            kernels::nm_straight_through_cuda(args, current_stream());
          } else {
            kernels::nm_straight_through_cpu(args);
          }
        } else {
          kernels::nm_straight_through_ref(args);
        }
      });
    }
    return {grad_w, grad_logits, Tensor()};
  }
};

}  // namespace

void draw_mask(MaskDraw& draw, const Tensor& logits, const Tensor& weight) {
  const Tensor values = checked(logits, "mask: logits").to(at::kFloat);
  const Tensor w = checked(weight, "mask: weight").to(at::kFloat);
  SPIKENM_ASSERT(values.numel() == draw.layout.n_blocks * draw.layout.m);
  draw.draws = at::empty({draw.layout.n_blocks, draw.n_draws}, values.options().dtype(at::kByte));
  const auto inputs = draw_inputs<float>(draw, values, w);
  if (values.is_cuda()) {
    kernels::nm_draw_cuda(inputs, data<uint8_t>(draw.draws), current_stream());
  } else {
    kernels::nm_draw_cpu(inputs, data<uint8_t>(draw.draws));
  }
  apply_draws(draw, weight);
}

void apply_draws(MaskDraw& draw, const Tensor& weight) {
  draw.n_draws = static_cast<int32_t>(draw.draws.size(1));
  const Tensor keep = at::empty(weight.sizes(), weight.options().dtype(at::kByte));
  if (keep.is_cuda()) {
    kernels::nm_mask_cuda(draw.layout, draw.n_draws, data<uint8_t>(draw.draws), data<uint8_t>(keep),
                          current_stream());
  } else {
    kernels::nm_mask(draw.layout, draw.n_draws, data<uint8_t>(draw.draws), data<uint8_t>(keep));
  }
  draw.keep = keep.to(weight.scalar_type());
}

Tensor top_positions(const MaskDraw& draw, int32_t n, const Tensor& logits, const Tensor& weight) {
  MaskDraw exact = draw;
  exact.n_draws = n;
  const Tensor values = checked(logits, "mask: logits").to(at::kFloat);
  const Tensor w = checked(weight, "mask: weight").to(at::kFloat);
  Tensor draws = at::empty({draw.layout.n_blocks, n}, values.options().dtype(at::kByte));
  const auto inputs = draw_inputs<float>(exact, values, w);
  if (values.is_cuda()) {
    kernels::nm_top_n_cuda(inputs, data<uint8_t>(draws), current_stream());
  } else {
    kernels::nm_top_n(inputs, data<uint8_t>(draws));
  }
  return draws;
}

Tensor masked_weight(const Tensor& weight, const Tensor& logits,
                     const std::shared_ptr<const MaskDraw>& draw) {
  return MaskedWeightFunction::apply(weight, logits, draw);
}

}  // namespace spikenm::ops
