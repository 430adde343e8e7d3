// The neuron step by step in tensor operations, with autograd's own backward: what the sequence op
// must equal. Only the spike has a hand-written derivative, the surrogate.
#pragma once

#include "spikenm/kernels/math/neuron_step.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

namespace spikenm::test {

class SurrogateSpike : public torch::autograd::Function<SurrogateSpike> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& u,
                            int64_t surrogate, double alpha) {
    ctx->save_for_backward({u});
    ctx->saved_data["surrogate"] = surrogate;
    ctx->saved_data["alpha"] = alpha;
    return u.ge(0).to(u.scalar_type());
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 const torch::autograd::variable_list& grads) {
    const at::Tensor u = ctx->get_saved_variables()[0];
    const double alpha = ctx->saved_data["alpha"].toDouble();
    at::Tensor slope;
    switch (static_cast<kernels::Surrogate>(ctx->saved_data["surrogate"].toInt())) {
      case kernels::Surrogate::kAtan:
        slope = alpha / 2 / (1 + (M_PI / 2 * alpha * u).square());
        break;
      case kernels::Surrogate::kSigmoid:
        slope = alpha * at::sigmoid(alpha * u) * (1 - at::sigmoid(alpha * u));
        break;
      case kernels::Surrogate::kTriangle:
        slope = at::relu(alpha - alpha * alpha * u.abs());
        break;
    }
    return {grads[0] * slope, at::Tensor(), at::Tensor()};
  }
};

// x [T, ...] -> spikes [T, ...]; `leak_logit` as for ops::neuron_seq.
inline at::Tensor eager_neuron(const at::Tensor& x, const kernels::NeuronParams& p,
                               const at::Tensor& leak_logit = {}) {
  const at::Tensor k =
      leak_logit.defined() ? at::sigmoid(leak_logit)[0] : at::full({}, p.k, x.options());
  const double rest = p.soft_reset ? 0 : p.v_reset;
  at::Tensor v = at::full_like(x[0], rest), current = at::zeros_like(x[0]);
  std::vector<at::Tensor> spikes;
  for (int64_t t = 0; t < x.size(0); ++t) {
    at::Tensor h = v + x[t];
    if (p.neuron == kernels::Neuron::kCubaLif) {
      current = (1 - p.k_syn) * current + x[t];
      h = (1 - k) * v + k * rest + k * current;
    } else if (p.neuron != kernels::Neuron::kIf) {
      h = (1 - k) * v + k * rest + (p.decay_input ? k * x[t] : x[t]);
    }
    const at::Tensor spike =
        SurrogateSpike::apply(h - p.threshold, static_cast<int64_t>(p.surrogate), p.alpha);
    const at::Tensor fired = p.detach_reset ? spike.detach() : spike;
    v = p.soft_reset ? h - fired * p.threshold : (1 - fired) * h + fired * p.v_reset;
    spikes.push_back(spike);
  }
  return at::stack(spikes);
}

}  // namespace spikenm::test
