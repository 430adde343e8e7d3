#include "spikenm/ops/norm_neuron_cpu.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/norm_neuron_cpu.h"
#include "spikenm/ops/running_statistics.h"
#include "spikenm/ops/saved.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

namespace spikenm::ops {
namespace {

using kernels::NeuronParams;
using kernels::NormNeuron;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Call {
  NeuronParams params;
  int64_t steps = 0;
  bool training = true;
  double eps = 1e-5, momentum = 0.1;
  Tensor activity = {};  // only the forward writes it
};

// What the norm maps with; all undefined without a norm.
struct NormTensors {
  Tensor gamma, beta, mean, inverse_std, variance;
};

NormNeuron<float> arguments(const Tensor& x, const NormTensors& norm, const Call& call) {
  NormNeuron<float> args{.params = call.params,
                         .steps = call.steps,
                         .input_steps = x.size(0),
                         .rows = x.numel() / (x.size(0) * x.size(2)),
                         .channels = x.size(2),
                         .x = data<float>(x),
                         .eps = call.eps};
  if (!norm.gamma.defined()) return args;
  args.gamma = data<float>(norm.gamma);
  args.beta = data<float>(norm.beta);
  args.mean = data<float>(norm.mean);
  args.inverse_std = data<float>(norm.inverse_std);
  if (norm.variance.defined()) args.variance = data<float>(norm.variance);
  args.measures = call.training;
  return args;
}

void prepare_statistics(const Tensor& x, NormTensors& norm, const Tensor& running_mean,
                        const Tensor& running_var, const Call& call) {
  const NormStatistics used = statistics_for(x, running_mean, running_var, call.eps, call.training);
  norm.mean = used.mean;
  norm.inverse_std = used.inverse_std;
  if (call.training) norm.variance = at::empty_like(norm.gamma);
}

// Keeps x alone: the backward replays the membrane from it.
class NormNeuronFunction : public torch::autograd::Function<NormNeuronFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& input,
                        const std::optional<Tensor>& gamma, const std::optional<Tensor>& beta,
                        const std::optional<Tensor>& running_mean,
                        const std::optional<Tensor>& running_var, const Call& call) {
    const Tensor x = channels_last(input);
    NormTensors norm;
    if (gamma) {
      norm.gamma = checked(*gamma, "batch norm: gamma");
      norm.beta = checked(*beta, "batch norm: beta");
      prepare_statistics(x, norm, *running_mean, *running_var, call);
    }

    std::vector<int64_t> sizes = x.sizes().vec();
    sizes[0] = call.steps;
    Tensor spikes = empty_channels_last(sizes, x.options());
    NormNeuron<float> args = arguments(x, norm, call);
    if (call.activity.defined()) args.activity = data<float>(call.activity);
    kernels::norm_neuron_forward_cpu(args, data<float>(spikes));
    if (gamma && call.training)
      move_running({*running_mean, *running_var}, {norm.mean, norm.variance}, x.numel() / x.size(2),
                   call.momentum);

    ctx->save_for_backward({x, norm.gamma, norm.beta, norm.mean, norm.inverse_std});
    ctx->saved_data["call"] = save_value(call);
    return spikes;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor& x = saved[0];
    const NormTensors norm{saved[1], saved[2], saved[3], saved[4], Tensor()};
    check_real(grads[0], "neuron: gradient");
    const Tensor grad_spikes = channels_last(grads[0]);
    Tensor grad_x = empty_channels_last(x.sizes(), x.options()), grad_gamma, grad_beta;
    if (norm.gamma.defined()) {
      grad_gamma = at::empty_like(norm.gamma);
      grad_beta = at::empty_like(norm.gamma);
    }

    kernels::norm_neuron_backward_cpu(
        arguments(x, norm, saved_value<Call>(ctx->saved_data["call"])),
        {.grad_spikes = data<float>(grad_spikes),
         .grad_x = data<float>(grad_x),
         .grad_gamma = grad_gamma.defined() ? data<float>(grad_gamma) : nullptr,
         .grad_beta = grad_beta.defined() ? data<float>(grad_beta) : nullptr});
    return {grad_x, grad_gamma, grad_beta, Tensor(), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor norm_neuron_cpu(const Tensor& x, const NormNeuronCall& given) {
  if (!has_fused_form(given.params)) throw Bug("norm_neuron: the neuron has no fused form");
  SPIKENM_CHECK(x.dim() == 3 || x.dim() == 5, "neuron: found a {}-d input, wanted [T,B,C,...]",
                x.dim());
  SPIKENM_CHECK(x.size(0) >= 1 && (x.size(0) == 1 || x.size(0) == given.steps),
                "neuron: found {} time steps, wanted 1 or {}", x.size(0), given.steps);

  using Optional = std::optional<Tensor>;
  Call call{.params = given.params,
            .steps = given.steps,
            .training = given.training,
            .activity = given.activity};
  const BatchNormState* const norm = given.norm;
  if (norm == nullptr)
    return NormNeuronFunction::apply(x, Optional(), Optional(), Optional(), Optional(), call);

  call.eps = norm->eps;
  call.momentum = norm->momentum;
  return NormNeuronFunction::apply(x, Optional(norm->gamma), Optional(norm->beta),
                                   Optional(norm->running_mean), Optional(norm->running_var), call);
}

}  // namespace spikenm::ops
