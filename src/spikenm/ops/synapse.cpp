#include "spikenm/ops/synapse.h"

#include "spikenm/core/error.h"
#include "spikenm/ops/constant_input.h"
#include "spikenm/ops/saved.h"
#include "spikenm/ops/synapse_cpu.h"
#include "spikenm/ops/synapse_gpu.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace spikenm::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Call {
  GpuSynapse gpu;  // the CPU reads only its geometry
  std::shared_ptr<CreditSink> sink;
};

class SynapseFunction : public torch::autograd::Function<SynapseFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bits, const Call& call) {
    ctx->saved_data["call"] = save_value(call);
    if (input.is_cuda())
      return forward_on_gpu(ctx, input, weight, bits.value_or(Tensor()), call.gpu);

    check_real(input, "synapse: input");
    const Tensor x = channels_last(input), w = checked(weight, "synapse: weight");
    ctx->save_for_backward({x, w});
    return synapse_forward_cpu(x, w, call.gpu.geometry);
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor &x = saved[0], &w = saved[1];
    const auto& call = saved_value<Call>(ctx->saved_data["call"]);
    if (w.is_cuda())
      return backward_on_gpu(ctx, grads[0], x, {.forward = w, .backward = saved[2]}, call);

    check_real(grads[0], "synapse: gradient");
    const Tensor grad = channels_last(grads[0]);
    Tensor grad_x, grad_w;
    if (ctx->needs_input_grad(0)) grad_x = synapse_grad_input_cpu(grad, x, w, call.gpu.geometry);
    if (ctx->needs_input_grad(1))
      grad_w = synapse_grad_weight_cpu(grad, x, w, call.gpu.geometry, call.sink.get());
    keep_gradient(grad_w, call);
    return {grad_x, grad_w, Tensor(), Tensor()};
  }

 private:
  static void keep_gradient(const Tensor& grad_w, const Call& call) {
    if (call.sink != nullptr && call.sink->wants_gradient && grad_w.defined())
      call.sink->gradient = grad_w;
  }

  static Tensor forward_on_gpu(AutogradContext* ctx, const Tensor& input, const Tensor& weight,
                               const Tensor& bits, const GpuSynapse& call) {
    const ComputeWeight w = compute_weight(weight, call, input.requires_grad());
    const SynapseOutput out = synapse_forward_gpu(input, w.forward, call);
    const bool as_bits = bits.defined() && out.bits_serve;
    ctx->save_for_backward({as_bits ? bits : out.taken, w.forward, w.backward});
    return out.y;
  }

  // The weight's gradient comes first: the memory unpacked for it is free again before the input's
  // gradient is made.
  static variable_list backward_on_gpu(AutogradContext* ctx, const Tensor& given,
                                       const Tensor& taken, const ComputeWeight& w,
                                       const Call& call) {
    const Tensor grad = channels_last(given.to(call.gpu.compute));
    Tensor grad_x, grad_w;
    if (ctx->needs_input_grad(1))
      grad_w = synapse_grad_weight_gpu(grad, taken, w.forward, call.gpu, call.sink.get());
    if (ctx->needs_input_grad(0)) grad_x = synapse_grad_input_gpu(grad, w, call.gpu);
    keep_gradient(grad_w, call);
    return {grad_x, grad_w, Tensor(), Tensor()};
  }
};

}  // namespace

Tensor synapse(const Tensor& given, const Tensor& weight, const SynapseGeometry& geometry,
               const std::shared_ptr<CreditSink>& credit, at::ScalarType compute,
               const Tensor& bits, int64_t steps, const Tensor& unscale) {
  const Tensor x = given.is_cuda() ? given : at_all_steps(given, steps);
  SPIKENM_CHECK(weight.dim() == 4 && (x.dim() == 3 || x.dim() == 5),
                "synapse: found a {}-d input and a {}-d weight, wanted [T,B,C,H,W] or [T,B,C] and "
                "[Cout,Cin,kh,kw]",
                x.dim(), weight.dim());
  SPIKENM_CHECK(x.size(2) == weight.size(1), "synapse: found {} input channels, wanted {}",
                x.size(2), weight.size(1));
  SPIKENM_CHECK(x.dim() == 5 || (weight.size(2) == 1 && weight.size(3) == 1),
                "synapse: a flat input needs a 1x1 weight, found {}x{}", weight.size(2),
                weight.size(3));

  keep_aten_single_threaded();
  return SynapseFunction::apply(x, weight, bits.defined() ? std::optional(bits) : std::nullopt,
                                Call{.gpu = {.geometry = geometry,
                                             .compute = compute,
                                             .x_sizes = x.sizes().vec(),
                                             .steps = std::max(x.size(0), steps),
                                             .unscale = unscale},
                                     .sink = credit});
}

}  // namespace spikenm::ops
