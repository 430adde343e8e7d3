#include "spikenm/ops/norm_neuron_gpu.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/norm_neuron.h"
#include "spikenm/kernels/pool.h"
#include "spikenm/kernels/spike_bits.h"
#include "spikenm/ops/saved.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

namespace spikenm::ops {
namespace {

using kernels::NeuronParams;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Call {
  NeuronParams params;
  int64_t steps = 1;
  bool summed_gradient = false;  // x has one step for all
  bool training = true;
  bool wants_bits = false;
  bool wants_winners = false;
  std::optional<kernels::PoolGeometry> pool;  // what the spikes go through
  double eps = 1e-5, momentum = 0.1;
  Tensor activity = {};  // only the forward writes it
};

// x has all steps, or one that lasts.
kernels::SequenceShape shape_of(const Tensor& x, const Call& call) {
  return {.real = real_of(x),
          .steps = call.steps,
          .n = x.numel() / x.size(0),
          .channels = x.size(2),
          .constant_input = x.size(0) < call.steps,
          .summed_gradient = call.summed_gradient};
}

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

Tensor workspace_for(const Tensor& x, const Call& call) {
  return at::empty({kernels::norm_workspace(shape_of(x, call))}, x.options().dtype(at::kFloat));
}

// Fills mean and inverse_std: this batch's while training, and the running ones move.
void set_statistics(const Tensor& x, NormTensors& norm, const Tensor& running_mean,
                    const Tensor& running_var, const Call& call) {
  const NormStatistics used = statistics_for(x, running_mean, running_var, call.eps, call.training);
  norm.mean = used.mean;
  norm.inverse_std = used.inverse_std;
  if (!call.training) return;

  const Tensor workspace = workspace_for(x, call);
  kernels::norm_statistics_cuda({.shape = shape_of(x, call),
                                 .x = x.const_data_ptr(),
                                 .eps = static_cast<float>(call.eps),
                                 .momentum = static_cast<float>(call.momentum),
                                 .mean = data<float>(norm.mean),
                                 .inverse_std = data<float>(norm.inverse_std),
                                 .running_mean = data<float>(running_mean),
                                 .running_variance = data<float>(running_var),
                                 .workspace = data<float>(workspace)},
                                current_stream());
}

kernels::SpikePool spike_pool(const Tensor& x, const Call& call, const Tensor& winners) {
  if (!call.pool) return {};
  return {.used = true,
          .kind = call.pool->kind,
          .height = static_cast<int32_t>(x.size(3)),
          .width = static_cast<int32_t>(x.size(4)),
          .winners = winners.defined() ? data<uint8_t>(winners) : nullptr};
}

// Of spikes, or of what the pool makes of them.
std::vector<int64_t> result_sizes(const Tensor& x, const Call& call) {
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes[0] = call.steps;
  if (call.pool)
    for (const size_t axis : {3, 4}) sizes[axis] = call.pool->out(sizes[axis]);
  return sizes;
}

// Keeps x alone: the backward replays the membrane from it. Of a max pool it keeps who won.
class NormNeuronFunction : public torch::autograd::Function<NormNeuronFunction> {
 public:
  static variable_list forward(AutogradContext* ctx, const Tensor& input,
                               const std::optional<Tensor>& gamma,
                               const std::optional<Tensor>& beta,
                               const std::optional<Tensor>& running_mean,
                               const std::optional<Tensor>& running_var, const Call& call) {
    // A current that was spread over the steps without a copy is read as the one step it is.
    const bool spread = input.size(0) > 1 && input.stride(0) == 0;
    const Tensor x = channels_last(spread ? input.narrow(0, 0, 1) : input);
    NormTensors norm{.gamma = gamma.value_or(Tensor()),
                     .beta = beta.value_or(Tensor()),
                     .mean = {},
                     .inverse_std = {}};
    if (norm.gamma.defined()) set_statistics(x, norm, *running_mean, *running_var, call);

    const at::TensorOptions bytes = x.options().dtype(at::kByte);
    const int64_t n = x.numel() / x.size(0) * call.steps;
    variable_list made{empty_channels_last(result_sizes(x, call), x.options())};
    if (call.wants_bits) made.push_back(at::empty({n / kernels::kSpikesPerByte}, bytes));
    Tensor winners;
    if (call.wants_winners) winners = at::empty({n / 8}, bytes);
    const bool watched = call.activity.defined();
    Tensor workspace;
    if (watched) workspace = workspace_for(x, call);
    kernels::norm_neuron_forward_cuda({.params = call.params,
                                       .shape = shape_of(x, call),
                                       .norm = norm.constants(),
                                       .pool = spike_pool(x, call, winners),
                                       .x = x.const_data_ptr(),
                                       .spikes = made[0].mutable_data_ptr(),
                                       .bits = call.wants_bits ? data<uint8_t>(made[1]) : nullptr,
                                       .activity = watched ? data<float>(call.activity) : nullptr,
                                       .workspace = watched ? data<float>(workspace) : nullptr},
                                      current_stream());

    ctx->save_for_backward({x, norm.gamma, norm.beta, norm.mean, norm.inverse_std, winners});
    ctx->saved_data["call"] = save_value(call);
    if (call.wants_bits) ctx->mark_non_differentiable({made[1]});
    ctx->set_materialize_grads(false);  // nobody wants zeros for the bits
    return made;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor& x = saved[0];
    const NormTensors norm{saved[1], saved[2], saved[3], saved[4]};
    const auto& call = saved_value<Call>(ctx->saved_data["call"]);
    const kernels::SequenceShape shape = shape_of(x, call);

    const bool mine = owns_memory_alone(grads[0]);
    const Tensor grad_spikes = channels_last(grads[0].to(x.scalar_type()));
    const bool has_norm = norm.gamma.defined(),
               in_place = !call.summed_gradient && !call.pool &&
                          (mine || !grad_spikes.is_alias_of(grads[0]));
    std::vector<int64_t> sizes = x.sizes().vec();
    if (!call.summed_gradient) sizes[0] = call.steps;
    Tensor grad_x = in_place ? grad_spikes : empty_channels_last(sizes, x.options());

    Tensor grad_gamma, grad_beta, workspace;
    if (has_norm) {
      grad_gamma = at::empty_like(norm.gamma);
      grad_beta = at::empty_like(norm.gamma);
      workspace = workspace_for(x, call);
    }

    kernels::norm_neuron_backward_cuda({.params = call.params,
                                        .shape = shape,
                                        .norm = norm.constants(),
                                        .measured = call.training,
                                        .pool = spike_pool(x, call, saved[5]),
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

Spikes norm_neuron_gpu(const Tensor& x, const NormNeuronCall& given,
                       const graph::PoolGeometry* pool) {
  if (!has_fused_form(given.params)) throw Bug("norm_neuron: the neuron has no fused form");
  SPIKENM_ASSERT(x.size(0) == given.steps || x.size(0) == 1);
  SPIKENM_ASSERT(!given.wants_bits ||
                 (pool == nullptr && x.size(2) % kernels::kSpikesPerByte == 0));
  using Optional = std::optional<Tensor>;
  Call call{.params = given.params,
            .steps = given.steps,
            .summed_gradient = x.size(0) < given.steps,
            .training = given.training,
            .wants_bits = given.wants_bits && at::GradMode::is_enabled(),
            .activity = given.activity};
  if (pool != nullptr) {
    call.pool = *pool;
    call.wants_winners = at::GradMode::is_enabled() && pool->kind == kernels::PoolKind::kMax;
  }

  variable_list made;
  if (const BatchNormState* norm = given.norm; norm == nullptr) {
    made = NormNeuronFunction::apply(x, Optional(), Optional(), Optional(), Optional(), call);
  } else {
    call.eps = norm->eps;
    call.momentum = norm->momentum;
    made =
        NormNeuronFunction::apply(x, Optional(norm->gamma), Optional(norm->beta),
                                  Optional(norm->running_mean), Optional(norm->running_var), call);
  }
  return {.values = made[0], .bits = made.size() > 1 ? made[1] : Tensor()};
}

}  // namespace spikenm::ops
