#include "spikenm/ops/pattern_class.h"

#include "spikenm/kernels/pattern_class.h"
#include "spikenm/ops/saved.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace spikenm::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using DrawPointer = std::shared_ptr<const PatternDraw>;

Tensor logit_gradient(const PatternDraw& draw, const Tensor& weight, const Tensor& logits,
                      const Tensor& grad) {
  const Tensor w = weight.cpu(), values = logits.cpu(), g = grad.cpu();
  Tensor out = at::empty_like(values);
  dispatch_real(values, [&](auto zero) {
    using T = decltype(zero);
    kernels::pattern_class_backward<T>({.layout = draw.layout,
                                        .n_patterns = values.size(1),
                                        .patterns = draw.patterns->data(),
                                        .logits = data<T>(values),
                                        .seed = draw.seed,
                                        .stream = draw.stream,
                                        .step = draw.step,
                                        .tau = static_cast<T>(draw.tau),
                                        .weight = data<T>(w),
                                        .grad_effective = data<T>(g),
                                        .grad_logits = data<T>(out)});
  });
  return out.to(logits.device());
}

class PatternWeightFunction : public torch::autograd::Function<PatternWeightFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& weight, const Tensor& logits,
                        const DrawPointer& draw) {
    const Tensor w = checked(weight, "mask: weight");
    ctx->save_for_backward({w, checked(logits, "mask: logits")});
    ctx->saved_data["draw"] = save_value(draw);
    return w * draw->keep;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const PatternDraw& draw = *saved_value<DrawPointer>(ctx->saved_data["draw"]);
    const Tensor grad = checked(grads[0], "mask: gradient");
    Tensor grad_w, grad_logits;
    if (ctx->needs_input_grad(0)) grad_w = grad * draw.keep;
    if (ctx->needs_input_grad(1)) grad_logits = logit_gradient(draw, saved[0], saved[1], grad);
    return {grad_w, grad_logits, Tensor()};
  }
};

}  // namespace

Tensor draw_patterns(const PatternDraw& draw, const Tensor& logits, bool noise) {
  const Tensor values = checked(logits, "mask: logits").detach().cpu().to(at::kFloat);
  Tensor chosen = at::empty({draw.layout.n_blocks}, at::kInt);
  kernels::pattern_class_draw({.n_blocks = draw.layout.n_blocks,
                               .n_patterns = values.size(1),
                               .logits = data<float>(values),
                               .noise = noise ? 1.0f : 0.0f,
                               .seed = draw.seed,
                               .stream = draw.stream,
                               .step = draw.step},
                              reinterpret_cast<uint32_t*>(data<int32_t>(chosen)));
  return chosen.to(at::kLong);
}

Tensor pattern_weight(const Tensor& weight, const Tensor& logits,
                      const std::shared_ptr<const PatternDraw>& draw) {
  return PatternWeightFunction::apply(weight, logits, draw);
}

}  // namespace spikenm::ops
