#include "spikenm/ops/nm_sample.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/nm_sample.h"
#include "spikenm/ops/distill_args.h"
#include "spikenm/ops/saved.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <type_traits>

namespace spikenm::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
kernels::DrawInputs<T> draw_inputs(const DrawRule& rule, const DrawAddress& address, double noise,
                                   const Tensor& logits, const Tensor& weight) {
  return {.layout = rule.layout,
          .logits = data<T>(logits),
          .weight = data<T>(weight),
          .kappa = static_cast<T>(rule.kappa),
          .noise = static_cast<T>(noise),
          .n_draws = rule.n_draws,
          .replace = rule.replace,
          .seed = address.seed,
          .stream = address.stream,
          .step = address.step};
}

// Logits and weight as floats: masks are drawn only in this type, so that they have the same bits.
struct FloatInputs {
  Tensor logits, weight;

  FloatInputs(const Tensor& given_logits, const Tensor& given_weight)
      : logits(checked(given_logits, "mask: logits").to(at::kFloat)),
        weight(checked(given_weight, "mask: weight").to(at::kFloat)) {}
};

// Returns `tensor`, or new memory if `tensor` has another shape.
Tensor reused(const Tensor& tensor, at::IntArrayRef shape, const at::TensorOptions& options) {
  if (tensor.defined() && tensor.sizes() == shape) return tensor;
  return at::empty(shape, options.requires_grad(false));
}

// On a GPU `noise` receives the draw's noise, if it is not null.
void fill_draws(const kernels::DrawInputs<float>& inputs, const Tensor& draws, float* noise) {
  if (draws.is_cuda()) {
    kernels::nm_draw_cuda(inputs, data<uint8_t>(draws), noise, current_stream());
  } else {
    kernels::nm_draw_cpu(inputs, data<uint8_t>(draws));
  }
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
    ctx->saved_data["draw"] = save_value(draw);
    if (!w.is_cuda()) return w * draw->mask.keep;
    Tensor effective = at::empty(w.sizes(), w.options().dtype(draw->compute).requires_grad(false));
    kernels::nm_apply_cuda(draw->rule.layout, draw->rule.n_draws, data<uint8_t>(draw->mask.draws),
                           data<float>(w), real_of(effective), effective.mutable_data_ptr(),
                           current_stream());
    return effective;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor &w = saved[0], &logits = saved[1];
    const MaskDraw& draw = *saved_value<DrawPointer>(ctx->saved_data["draw"]);
    if (w.is_cuda()) return backward_on_gpu(draw, grads[0], w, logits);

    const Tensor grad = checked(grads[0], "mask: gradient");
    Tensor grad_w, grad_logits;
    if (ctx->needs_input_grad(0))
      grad_w = draw.rule.dense_weight_grad ? grad : grad * draw.mask.keep;

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
      if (draw.additions.task_norm.defined())
        draw.additions.task_norm.add_(grad_logits.square().sum(at::kDouble));
    }
    return {grad_w, grad_logits, Tensor()};
  }

 private:
  template <class T>
  static kernels::StraightThrough<T> straight_through(const MaskDraw& draw, const Tensor& logits,
                                                      const Tensor& w, const Tensor& grad,
                                                      const Tensor& grad_logits) {
    const BackwardInputs& from = draw.inputs;
    return {.draw = draw_inputs<T>(draw.rule, draw.address, draw.softness.noise, logits, w),
            .draws = data<uint8_t>(draw.mask.draws),
            .weight = data<T>(w),
            .grad_effective = data<T>(grad),
            .tau = static_cast<T>(draw.softness.tau),
            .or_gradient = draw.rule.or_gradient,
            .grad_logits = data<T>(grad_logits),
            .step_values = from.step_values.defined() ? static_cast<const kernels::StepValues*>(
                                                            from.step_values.const_data_ptr())
                                                      : nullptr,
            .noise = from.noise.defined() ? from.noise.const_data_ptr<float>() : nullptr};
  }

  // Both gradients in one pass over the weights.
  static variable_list backward_on_gpu(const MaskDraw& draw, const Tensor& given, const Tensor& w,
                                       const Tensor& logits) {
    const bool mine = owns_memory_alone(given);
    Tensor grad = checked(given, "mask: gradient");
    if (!mine && grad.is_alias_of(given)) grad = grad.clone();  // the kernel masks it in place

    Tensor grad_logits = at::empty_like(logits);
    const BackwardAdditions& more = draw.additions;
    const Tensor norm =
        more.task_norm.defined() ? more.task_norm : running_sum(draw.rule.layout.n_blocks, logits);

    kernels::SearchBackward all{
        .straight = straight_through<float>(draw, logits, w, grad, grad_logits),
        .task_norm = data<float>(norm),
        .grad_weight = draw.rule.dense_weight_grad ? nullptr : data<float>(grad)};

    if (more.distillation) {
      const Distillation& distillation = *more.distillation;
      SPIKENM_ASSERT(distills_in_backward(distillation.target, logits));
      all.distils = true;
      all.distillation =
          distillation_args<float>(distillation, draw.rule, logits, w, 0, grad_logits);
      all.kl = data<float>(distillation.sums.kl);
      all.eid_norm = data<float>(distillation.sums.squared_norm);
    }

    kernels::nm_straight_through_cuda(all, current_stream());
    return {grad, grad_logits, Tensor()};
  }
};

}  // namespace

Tensor draw_positions(const DrawRule& rule, const DrawAddress& address, double noise,
                      const Tensor& logits, const Tensor& weight) {
  const FloatInputs in(logits, weight);
  SPIKENM_ASSERT(in.logits.numel() == rule.layout.n_blocks * rule.layout.m);
  Tensor draws =
      at::empty({rule.layout.n_blocks, rule.n_draws}, in.logits.options().dtype(at::kByte));
  fill_draws(draw_inputs<float>(rule, address, noise, in.logits, in.weight), draws, nullptr);
  return draws;
}

void draw_mask(MaskDraw& draw, const Tensor& logits, const Tensor& weight) {
  const FloatInputs in(logits, weight);
  const nm::BlockLayout& layout = draw.rule.layout;
  SPIKENM_ASSERT(in.logits.numel() == layout.n_blocks * layout.m);
  const at::TensorOptions options = in.logits.options();
  draw.mask.draws =
      reused(draw.mask.draws, {layout.n_blocks, draw.rule.n_draws}, options.dtype(at::kByte));

  const bool on_gpu = in.logits.is_cuda();
  if (on_gpu)
    draw.inputs.noise =
        reused(draw.inputs.noise, {layout.n_blocks, draw.rule.n_draws, layout.m}, options);

  fill_draws(draw_inputs<float>(draw.rule, draw.address, draw.softness.noise, in.logits, in.weight),
             draw.mask.draws, on_gpu ? data<float>(draw.inputs.noise) : nullptr);
  if (!on_gpu) draw.mask = mask_of(layout, draw.mask.draws, weight);
}

void restore_mask(MaskDraw& draw, const Tensor& draws, const Tensor& logits, const Tensor& weight) {
  draw_mask(draw, logits, weight);
  SPIKENM_ASSERT(draw.mask.draws.sizes() == draws.sizes());
  draw.mask.draws.copy_(draws);
  if (!logits.is_cuda()) draw.mask = mask_of(draw.rule.layout, draw.mask.draws, weight);
}

void set_step_values(MaskDraw& draw, const Tensor& logits) {
  if (!logits.is_cuda()) return;
  draw.inputs.step_values =
      reused(draw.inputs.step_values, {static_cast<int64_t>(sizeof(kernels::StepValues))},
             logits.options().dtype(at::kByte));
  kernels::set_step_values_cuda(
      {.step = draw.address.step,
       .noise = static_cast<float>(draw.softness.noise),
       .tau = static_cast<float>(draw.softness.tau)},
      static_cast<kernels::StepValues*>(draw.inputs.step_values.mutable_data_ptr()),
      current_stream());
}

BlockMask mask_of(const nm::BlockLayout& layout, const Tensor& draws, const Tensor& weight) {
  const auto n_draws = static_cast<int32_t>(draws.size(1));
  const Tensor keep = at::empty(weight.sizes(), weight.options().dtype(at::kByte));
  if (keep.is_cuda()) {
    kernels::nm_mask_cuda(layout, n_draws, data<uint8_t>(draws), data<uint8_t>(keep),
                          current_stream());
  } else {
    kernels::nm_mask(layout, n_draws, data<uint8_t>(draws), data<uint8_t>(keep));
  }
  return {.draws = draws, .keep = keep.to(weight.scalar_type())};
}

std::vector<uint8_t> mask_bytes(const nm::BlockLayout& layout, const Tensor& draws) {
  const Tensor rows = draws.cpu().contiguous();
  std::vector<uint8_t> keep(static_cast<size_t>(layout.numel));
  kernels::nm_mask(layout, static_cast<int32_t>(rows.size(1)), rows.const_data_ptr<uint8_t>(),
                   keep.data());
  return keep;
}

Tensor top_positions(const DrawRule& rule, int32_t n, const Tensor& logits, const Tensor& weight) {
  DrawRule exact = rule;
  exact.n_draws = n;
  const FloatInputs in(logits, weight);
  Tensor draws = at::empty({rule.layout.n_blocks, n}, in.logits.options().dtype(at::kByte));
  const auto inputs = draw_inputs<float>(exact, {}, 1, in.logits, in.weight);
  if (in.logits.is_cuda()) {
    kernels::nm_top_n_cuda(inputs, data<uint8_t>(draws), current_stream());
  } else {
    kernels::nm_top_n(inputs, data<uint8_t>(draws));
  }
  return draws;
}

Tensor masked_weight(const Tensor& weight, const Tensor& logits,
                     const std::shared_ptr<const MaskDraw>& draw) {
  Tensor effective = MaskedWeightFunction::apply(weight, logits, draw);
  // The autograd engine would round the float gradient to the type of `effective`.
  if (effective.scalar_type() != at::kFloat && effective.grad_fn() != nullptr)
    effective.grad_fn()->mutable_input_metadata(effective.output_nr()).set_grad_dtype(std::nullopt);
  return effective;
}

}  // namespace spikenm::ops
