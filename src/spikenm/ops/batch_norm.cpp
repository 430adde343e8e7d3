#include "spikenm/ops/batch_norm.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/batch_norm.h"
#include "spikenm/ops/running_statistics.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

namespace spikenm::ops {
namespace {

using kernels::BatchNorm;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
BatchNorm<T> arguments(const Tensor& x, const Tensor& gamma, const Tensor& beta, const Tensor& mean,
                       const Tensor& inverse_std, double eps) {
  const int64_t channels = x.size(2);
  return {.rows = x.size(0) * x.size(1),
          .channels = channels,
          .spatial = x.numel() / std::max<int64_t>(1, x.size(0) * x.size(1) * channels),
          .x = data<T>(x),
          .gamma = data<T>(gamma),
          .beta = data<T>(beta),
          .mean = data<T>(mean),
          .inverse_std = data<T>(inverse_std),
          .eps = eps};
}

class BatchNormFunction : public torch::autograd::Function<BatchNormFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& input, const Tensor& gamma,
                        const Tensor& beta, const Tensor& running_mean, const Tensor& running_var,
                        double eps, double momentum) {
    const Tensor x = checked(input, "batch norm: input");
    const NormStatistics measured =
        statistics_for(x, running_mean, running_var, eps, /*training=*/true);
    const Tensor &mean = measured.mean, &inverse_std = measured.inverse_std;
    const int64_t per_channel = x.numel() / x.size(2);
    const Tensor variance = at::empty_like(gamma);
    Tensor y = at::empty_like(x);

    dispatch_real(x, [&](auto zero) {
      using T = decltype(zero);
      const auto args = arguments<T>(x, gamma, beta, mean, inverse_std, eps);
      kernels::batch_norm_statistics(args, data<T>(variance));
      kernels::batch_norm_apply(args, data<T>(y));
    });

    move_running({running_mean, running_var}, {mean, variance}, per_channel, momentum);
    ctx->save_for_backward({x, gamma, beta, mean, inverse_std});
    ctx->saved_data["eps"] = eps;
    return y;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor grad_y = checked(grads[0], "batch norm: gradient");
    const Tensor &x = saved[0], &gamma = saved[1];
    Tensor grad_x = at::empty_like(x), grad_gamma = at::empty_like(gamma),
           grad_beta = at::empty_like(gamma);

    dispatch_real(x, [&](auto zero) {
      using T = decltype(zero);
      kernels::batch_norm_backward(
          arguments<T>(x, gamma, saved[2], saved[3], saved[4], ctx->saved_data["eps"].toDouble()),
          data<T>(grad_y), data<T>(grad_x), data<T>(grad_gamma), data<T>(grad_beta));
    });
    return {grad_x, grad_gamma, grad_beta, Tensor(), Tensor(), Tensor(), Tensor()};
  }
};

}  // namespace

NormStatistics statistics_for(const Tensor& x, const Tensor& running_mean,
                              const Tensor& running_var, double eps, bool training) {
  if (!training) return {.mean = running_mean, .inverse_std = at::rsqrt(running_var + eps)};
  SPIKENM_CHECK(x.numel() > x.size(2),
                "batch norm: found one value a channel, wanted two or more to train");
  return {.mean = at::empty_like(running_mean), .inverse_std = at::empty_like(running_mean)};
}

Tensor batch_norm(const Tensor& x, BatchNormState& s, bool training) {
  const bool wants_gradient =
      at::GradMode::is_enabled() &&
      (x.requires_grad() || s.gamma.requires_grad() || s.beta.requires_grad());
  if (x.is_cuda() || (!training && wants_gradient)) {
    const Statistics moved{.mean = s.running_mean.clone(), .variance = s.running_var.clone()};
    const Tensor y = at::batch_norm(x.flatten(0, 1), s.gamma, s.beta, moved.mean, moved.variance,
                                    training, s.momentum, s.eps, /*cudnn_enabled=*/true);
    if (training) take_finite({s.running_mean, s.running_var}, moved);
    return y.view(x.sizes());
  }
  if (training) {
    return BatchNormFunction::apply(x, s.gamma, s.beta, s.running_mean, s.running_var, s.eps,
                                    s.momentum);
  }

  // Evaluation: no gradient is wanted, and the statistics are the running ones.
  const Tensor input = checked(x, "batch norm: input");
  const NormStatistics running =
      statistics_for(input, s.running_mean, s.running_var, s.eps, /*training=*/false);
  Tensor y = at::empty_like(input);
  dispatch_real(input, [&](auto zero) {
    using T = decltype(zero);
    kernels::batch_norm_apply(
        arguments<T>(input, s.gamma, s.beta, running.mean, running.inverse_std, s.eps), data<T>(y));
  });
  return y;
}

}  // namespace spikenm::ops
