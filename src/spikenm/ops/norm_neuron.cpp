#include "spikenm/ops/norm_neuron.h"

#include "spikenm/core/error.h"
#include "spikenm/ops/kept.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

namespace spikenm::ops {
namespace {

using kernels::NeuronParams;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

kernels::SequenceShape shape_of(const Tensor& x) {
  const kernels::Real real = x.scalar_type() == at::kBFloat16 ? kernels::Real::kBfloat16
                             : x.scalar_type() == at::kHalf   ? kernels::Real::kHalf
                                                              : kernels::Real::kFloat;
  return {.real = real, .steps = x.size(0), .n = x.numel() / x.size(0), .channels = x.size(2)};
}

struct Call {
  NeuronParams params;
  bool training = true;
  double eps = 1e-5, momentum = 0.1;
};

// What the norm maps with; all undefined without a norm.
struct NormTensors {
  Tensor gamma, beta, mean, inverse_std;

  [[nodiscard]] kernels::NormConstants constants() const {
    if (!gamma.defined()) return {};
    return {.gamma = gamma.const_data_ptr<float>(),
            .beta = beta.const_data_ptr<float>(),
            .mean = mean.const_data_ptr<float>(),
            .inverse_std = inverse_std.const_data_ptr<float>()};
  }
};

Tensor workspace_for(const Tensor& x) {
  return at::empty({kernels::norm_workspace(shape_of(x))}, x.options().dtype(at::kFloat));
}

// Fills mean and inverse_std: this batch's while training, and the running ones move.
void set_statistics(const Tensor& x, NormTensors& norm, const Tensor& running_mean,
                    const Tensor& running_var, const Call& call) {
  if (!call.training) {
    norm.mean = running_mean;
    norm.inverse_std = at::rsqrt(running_var + call.eps);
    return;
  }
  const int64_t per_channel = x.numel() / x.size(2);
  SPIKENM_CHECK(per_channel > 1,
                "batch norm: found one value a channel, wanted two or more to train");
  norm.mean = at::empty_like(running_mean);
  norm.inverse_std = at::empty_like(running_mean);
  const Tensor variance = at::empty_like(running_mean), workspace = workspace_for(x);
  kernels::norm_statistics_cuda({.shape = shape_of(x),
                                 .x = x.const_data_ptr(),
                                 .eps = static_cast<float>(call.eps),
                                 .mean = data<float>(norm.mean),
                                 .variance = data<float>(variance),
                                 .inverse_std = data<float>(norm.inverse_std),
                                 .workspace = data<float>(workspace)},
                                current_stream());
  const double unbiased = static_cast<double>(per_channel) / static_cast<double>(per_channel - 1);
  Tensor(running_mean).mul_(1 - call.momentum).add_(norm.mean, call.momentum);
  Tensor(running_var).mul_(1 - call.momentum).add_(variance, call.momentum * unbiased);
}

// Keeps x alone: the backward replays the membrane from it.
class NormNeuronFunction : public torch::autograd::Function<NormNeuronFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& input,
                        const std::optional<Tensor>& gamma, const std::optional<Tensor>& beta,
                        const std::optional<Tensor>& running_mean,
                        const std::optional<Tensor>& running_var, const Call& call) {
    const Tensor x = channels_last(input);
    NormTensors norm{.gamma = gamma.value_or(Tensor()),
                     .beta = beta.value_or(Tensor()),
                     .mean = {},
                     .inverse_std = {}};
    if (norm.gamma.defined()) set_statistics(x, norm, *running_mean, *running_var, call);
    Tensor spikes = at::empty_like(x);
    kernels::norm_neuron_forward_cuda({.params = call.params,
                                       .shape = shape_of(x),
                                       .norm = norm.constants(),
                                       .x = x.const_data_ptr(),
                                       .spikes = spikes.mutable_data_ptr()},
                                      current_stream());
    ctx->save_for_backward({x, norm.gamma, norm.beta, norm.mean, norm.inverse_std});
    ctx->saved_data["call"] = keep(call);
    return spikes;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor& x = saved[0];
    const NormTensors norm{saved[1], saved[2], saved[3], saved[4]};
    const auto& call = kept<Call>(ctx->saved_data["call"]);
    const Tensor grad_spikes = channels_last(grads[0].to(x.scalar_type()));
    const bool has_norm = norm.gamma.defined();
    Tensor grad_x = at::empty_like(x), grad_gamma, grad_beta, workspace;
    if (has_norm) {
      grad_gamma = at::empty_like(norm.gamma);
      grad_beta = at::empty_like(norm.gamma);
      workspace = workspace_for(x);
    }
    kernels::norm_neuron_backward_cuda({.params = call.params,
                                        .shape = shape_of(x),
                                        .norm = norm.constants(),
                                        .x = x.const_data_ptr(),
                                        .grad_spikes = grad_spikes.const_data_ptr(),
                                        .grad_x = grad_x.mutable_data_ptr(),
                                        .grad_gamma = has_norm ? data<float>(grad_gamma) : nullptr,
                                        .grad_beta = has_norm ? data<float>(grad_beta) : nullptr,
                                        .workspace = has_norm ? data<float>(workspace) : nullptr},
                                       current_stream());
    return {grad_x, grad_gamma, grad_beta, Tensor(), Tensor(), Tensor()};
  }
};

}  // namespace

bool can_fuse_norm_neuron(const Tensor& x, const NeuronParams& params) {
  return x.is_cuda() && x.size(0) <= kernels::kMaxFusedSteps &&
         params.neuron != kernels::Neuron::kPlif;
}

Tensor norm_neuron(const Tensor& x, BatchNormState* norm, const NeuronParams& params,
                   bool training) {
  using Optional = std::optional<Tensor>;
  Call call{.params = params, .training = training};
  if (norm == nullptr)
    return NormNeuronFunction::apply(x, Optional(), Optional(), Optional(), Optional(), call);
  call.eps = norm->eps;
  call.momentum = norm->momentum;
  return NormNeuronFunction::apply(x, Optional(norm->gamma), Optional(norm->beta),
                                   Optional(norm->running_mean), Optional(norm->running_var), call);
}

}  // namespace spikenm::ops
