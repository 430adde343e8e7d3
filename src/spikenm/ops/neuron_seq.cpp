#include "spikenm/ops/neuron_seq.h"

#include "spikenm/core/error.h"
#include "spikenm/ops/saved.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>
#include <type_traits>
#include <vector>

namespace spikenm::ops {
namespace {

using kernels::NeuronBackward;
using kernels::NeuronForward;
using kernels::NeuronParams;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
void run_forward(const NeuronForward<T>& args, bool on_gpu) {
  if constexpr (std::is_same_v<T, float>) {
    if (on_gpu) return kernels::neuron_forward_cuda(args, current_stream());
    kernels::neuron_forward_cpu(args);
  } else {
    kernels::neuron_forward_ref(args, 0, args.n);
  }
}

template <class T>
double run_backward(const NeuronBackward<T>& args) {
  if constexpr (std::is_same_v<T, float>) {
    return kernels::neuron_backward_cpu(args);
  } else {
    return kernels::neuron_backward_ref(args, 0, args.n);
  }
}

// Adds to `activity` [C] the mean of spike + |v|; v, the membrane after the reset, follows from h.
void add_activity(const Tensor& h, const Tensor& spikes, const NeuronParams& p,
                  const Tensor& activity) {
  const Tensor v = p.soft_reset ? h - spikes * p.threshold : h.masked_fill(spikes.ne(0), p.v_reset);
  std::vector<int64_t> axes{0, 1};
  for (int64_t axis = 3; axis < h.dim(); ++axis) axes.push_back(axis);
  Tensor(activity).add_((spikes + v.abs()).mean(axes));
}

// Keeps h, the membrane before the reset: spikes and the membrane after it follow from h.
class NeuronSeqFunction : public torch::autograd::Function<NeuronSeqFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& input,
                        const std::optional<Tensor>& given_leak, const NeuronParams& given,
                        const std::optional<Tensor>& activity) {
    const Tensor leak_logit = given_leak.value_or(Tensor());
    const Tensor x = checked(input, "neuron: input");
    SPIKENM_CHECK(x.dim() >= 1 && x.size(0) >= 1, "neuron: found no time step, wanted [T, ...]");
    NeuronParams params = given;
    if (leak_logit.defined()) params.k = at::sigmoid(leak_logit.to(at::kDouble)).item<double>();
    Tensor spikes = at::empty_like(x), h = at::empty_like(x);

    dispatch_real(x, [&](auto zero) {
      using T = decltype(zero);
      run_forward<T>({.params = params,
                      .steps = x.size(0),
                      .n = x.numel() / x.size(0),
                      .x = data<T>(x),
                      .spikes = data<T>(spikes),
                      .h = data<T>(h)},
                     x.is_cuda());
    });

    if (activity) add_activity(h, spikes, params, *activity);

    ctx->save_for_backward({h, leak_logit.defined() ? x : Tensor(), leak_logit});
    ctx->saved_data["params"] = save_value(params);
    return spikes;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor &h = saved[0], &x = saved[1], &leak_logit = saved[2];
    const auto& params = saved_value<NeuronParams>(ctx->saved_data["params"]);
    const Tensor grad_spikes = checked(grads[0], "neuron: gradient");
    Tensor grad_x = at::empty_like(h), grad_leak;

    if (h.is_cuda()) {
      const int64_t n = h.numel() / h.size(0);
      Tensor parts;  // summed in an order that does not change
      if (leak_logit.defined()) parts = at::empty({n}, h.options());
      kernels::neuron_backward_cuda({.params = params,
                                     .steps = h.size(0),
                                     .n = n,
                                     .grad_spikes = data<float>(grad_spikes),
                                     .h = data<float>(h),
                                     .x = x.defined() ? data<float>(x) : nullptr,
                                     .grad_x = data<float>(grad_x)},
                                    parts.defined() ? data<float>(parts) : nullptr,
                                    current_stream());
      if (parts.defined())
        grad_leak = (parts.sum(at::kDouble) * (params.k * (1 - params.k))).to(at::kFloat).view({1});
      return {grad_x, grad_leak, Tensor(), Tensor()};
    }

    const double grad_k = dispatch_real(h, [&](auto zero) {
      using T = decltype(zero);
      return run_backward<T>({.params = params,
                              .steps = h.size(0),
                              .n = h.numel() / h.size(0),
                              .grad_spikes = data<T>(grad_spikes),
                              .h = data<T>(h),
                              .x = x.defined() ? data<T>(x) : nullptr,
                              .grad_x = data<T>(grad_x)});
    });
    if (leak_logit.defined())
      grad_leak = at::full_like(leak_logit, grad_k * params.k * (1 - params.k));
    return {grad_x, grad_leak, Tensor(), Tensor()};
  }
};

}  // namespace

Tensor neuron_seq(const Tensor& x, const NeuronParams& params, const Tensor& leak_logit,
                  const Tensor& activity) {
  // autograd does not accept an undefined tensor as an argument, but it accepts an absent one.
  const auto optional = [](const Tensor& t) {
    return t.defined() ? std::optional(t) : std::nullopt;
  };
  return NeuronSeqFunction::apply(x.is_cuda() ? x.to(at::kFloat) : x, optional(leak_logit), params,
                                  optional(activity));
}

}  // namespace spikenm::ops
