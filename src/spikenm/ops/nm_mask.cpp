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

}  // namespace

Tensor running_sum(int64_t n_blocks, const Tensor& like) {
  const at::TensorOptions options = at::TensorOptions(like.device());
  if (!like.is_cuda()) return at::zeros({1}, options.dtype(at::kDouble));
  return at::zeros({kernels::nm_parts(n_blocks)}, options.dtype(at::kFloat));
}

namespace {

using DrawPointer = std::shared_ptr<const MaskDraw>;

class MaskedWeightFunction : public torch::autograd::Function<MaskedWeightFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& weight, const Tensor& logits,
                        const DrawPointer& draw) {
    const Tensor w = checked(weight, "mask: weight");
    ctx->save_for_backward({w, checked(logits, "mask: logits")});
    ctx->saved_data["draw"] = keep(draw);
    if (!w.is_cuda()) return w * draw->keep;
    Tensor effective = at::empty(w.sizes(), w.options().dtype(draw->compute).requires_grad(false));
    kernels::nm_apply_cuda(draw->layout, draw->n_draws, data<uint8_t>(draw->draws), data<float>(w),
                           real_of(effective), effective.mutable_data_ptr(), current_stream());
    return effective;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor &w = saved[0], &logits = saved[1];
    const MaskDraw& draw = *kept<DrawPointer>(ctx->saved_data["draw"]);
    if (w.is_cuda()) return backward_on_gpu(draw, grads[0], w, logits);
    const Tensor grad = checked(grads[0], "mask: gradient");
    Tensor grad_w, grad_logits;
    if (ctx->needs_input_grad(0)) grad_w = draw.dense_weight_grad ? grad : grad * draw.keep;
    if (ctx->needs_input_grad(1)) {
      grad_logits = at::empty_like(logits);
      dispatch_real(w, [&](auto zero) {
        using T = decltype(zero);
        const auto args = straight_through<T>(draw, logits, w, grad, grad_logits);
        if constexpr (std::is_same_v<T, float>) {
          kernels::nm_straight_through_cpu(args);
        } else {
          kernels::nm_straight_through_ref(args);
        }
      });
      if (draw.task_norm.defined())
        Tensor(draw.task_norm).add_(grad_logits.square().sum(at::kDouble));
    }
    return {grad_w, grad_logits, Tensor()};
  }

 private:
  template <class T>
  static kernels::StraightThrough<T> straight_through(const MaskDraw& draw, const Tensor& logits,
                                                      const Tensor& w, const Tensor& grad,
                                                      const Tensor& grad_logits) {
    return {.draw = draw_inputs<T>(draw, logits, w),
            .draws = data<uint8_t>(draw.draws),
            .weight = data<T>(w),
            .grad_effective = data<T>(grad),
            .tau = static_cast<T>(draw.tau),
            .or_gradient = draw.or_gradient,
            .grad_logits = data<T>(grad_logits),
            .dials = draw.dials.defined()
                         ? reinterpret_cast<const kernels::DrawDials*>(draw.dials.const_data_ptr())
                         : nullptr,
            .noise = draw.noise_kept.defined() ? draw.noise_kept.const_data_ptr<float>() : nullptr};
  }

  // One pass over the weights gives both gradients.
  static variable_list backward_on_gpu(const MaskDraw& draw, const Tensor& given, const Tensor& w,
                                       const Tensor& logits) {
    const bool mine = owns_memory_alone(given);
    Tensor grad = checked(given, "mask: gradient");
    if (!mine && grad.is_alias_of(given)) grad = grad.clone();  // it is masked in place
    Tensor grad_logits = at::empty_like(logits);
    const Tensor norm =
        draw.task_norm.defined() ? draw.task_norm : running_sum(draw.layout.n_blocks, logits);
    kernels::SearchBackward all{
        .straight = straight_through<float>(draw, logits, w, grad, grad_logits),
        .task_norm = data<float>(norm),
        .grad_weight = draw.dense_weight_grad ? nullptr : data<float>(grad)};
    if (draw.distillation) {
      all.distils = true;
      all.distillation = draw.distillation(grad_logits);
      all.kl = data<float>(draw.kl);
      all.eid_norm = data<float>(draw.eid_norm);
    }
    kernels::nm_straight_through_cuda(all, current_stream());
    return {grad, grad_logits, Tensor()};
  }
};

}  // namespace

void draw_mask(MaskDraw& draw, const Tensor& logits, const Tensor& weight) {
  const Tensor values = checked(logits, "mask: logits").to(at::kFloat);
  const Tensor w = checked(weight, "mask: weight").to(at::kFloat);
  SPIKENM_ASSERT(values.numel() == draw.layout.n_blocks * draw.layout.m);
  const std::vector<int64_t> shape{draw.layout.n_blocks, draw.n_draws};
  // A recorded step reads the draws where they were: the same memory serves again.
  if (!draw.draws.defined() || draw.draws.sizes() != at::IntArrayRef(shape))
    draw.draws = at::empty(shape, values.options().dtype(at::kByte));
  const auto inputs = draw_inputs<float>(draw, values, w);
  if (values.is_cuda()) {
    const std::vector<int64_t> noise{draw.layout.n_blocks, draw.n_draws, draw.layout.m};
    if (draw.keeps_noise &&
        (!draw.noise_kept.defined() || draw.noise_kept.sizes() != at::IntArrayRef(noise)))
      draw.noise_kept = at::empty(noise, values.options().requires_grad(false));
    kernels::nm_draw_cuda(inputs, data<uint8_t>(draw.draws),
                          draw.keeps_noise ? data<float>(draw.noise_kept) : nullptr,
                          current_stream());
    return;  // the draws are all that masked_weight needs there
  }
  kernels::nm_draw_cpu(inputs, data<uint8_t>(draw.draws));
  apply_draws(draw, weight);
}

void set_dials(MaskDraw& draw, const Tensor& logits) {
  if (!logits.is_cuda()) return;
  if (!draw.dials.defined())
    draw.dials = at::empty({static_cast<int64_t>(sizeof(kernels::DrawDials))},
                           logits.options().dtype(at::kByte).requires_grad(false));
  kernels::set_draw_dials_cuda({.step = draw.step,
                                .noise = static_cast<float>(draw.noise),
                                .tau = static_cast<float>(draw.tau)},
                               reinterpret_cast<kernels::DrawDials*>(draw.dials.mutable_data_ptr()),
                               current_stream());
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
  Tensor effective = MaskedWeightFunction::apply(weight, logits, draw);
  // The engine would round a float gradient to the type of what it belongs to.
  if (effective.scalar_type() != at::kFloat && effective.grad_fn() != nullptr)
    effective.grad_fn()->mutable_input_metadata(effective.output_nr()).set_grad_dtype(std::nullopt);
  return effective;
}

}  // namespace spikenm::ops
