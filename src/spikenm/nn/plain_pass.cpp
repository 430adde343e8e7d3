#include "spikenm/nn/plain_pass.h"

#include "spikenm/core/error.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <vector>

namespace spikenm::nn {
namespace {

using graph::NeuronKind;
using graph::NeuronParams;
using graph::Surrogate;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// 1 where u = h - threshold is at least 0, with the surrogate's slope.
class Spike : public torch::autograd::Function<Spike> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& u, int64_t surrogate, double alpha) {
    ctx->save_for_backward({u});
    ctx->saved_data["surrogate"] = surrogate;
    ctx->saved_data["alpha"] = alpha;
    return u.ge(0).to(u.scalar_type());
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const Tensor u = ctx->get_saved_variables()[0];
    const double alpha = ctx->saved_data["alpha"].toDouble();
    const auto kind = static_cast<Surrogate>(ctx->saved_data["surrogate"].toInt());
    return {grads[0] * slope(kind, alpha, u), Tensor(), Tensor()};
  }

 private:
  static Tensor slope(Surrogate kind, double alpha, const Tensor& u) {
    switch (kind) {
      case Surrogate::kAtan:
        return alpha / 2 / (1 + (M_PI / 2 * alpha * u).square_());
      case Surrogate::kSigmoid: {
        const Tensor q = at::sigmoid(alpha * u);
        return alpha * q * (1 - q);
      }
      case Surrogate::kTriangle:
        return at::relu(alpha - alpha * alpha * u.abs());
    }
    return {};
  }
};

// Eq. (1) for a membrane v at rest potential `rest`; `k` is a number, or PLIF's tensor.
template <class Leak>
Tensor leaky_charge(const Tensor& v, const Tensor& x, const Leak& k, double rest,
                    bool decay_input) {
  const Tensor above_rest = rest == 0 ? v : v - rest;
  return decay_input ? v + (x - above_rest) * k : v - above_rest * k + x;
}

// `x` is what charges the membrane: the input, or the synaptic current.
Tensor charge(const Tensor& v, const Tensor& x, const NeuronParams& p, const Tensor& k) {
  const double rest = p.soft_reset ? 0 : p.v_reset;
  switch (p.neuron) {
    case NeuronKind::kIf:
      return v + x;
    case NeuronKind::kLif:
      return leaky_charge(v, x, p.k, rest, p.decay_input);
    case NeuronKind::kPlif:
      return leaky_charge(v, x, k, rest, p.decay_input);
    case NeuronKind::kCubaLif:
      return leaky_charge(v, x, p.k, rest, /*decay_input=*/true);
  }
  fail("plain pass: '{}' neurons cannot run here", graph::traits_of(p.neuron).name);
}

// v[t] from h[t], both of Eq. (3)'s resets.
Tensor reset(const Tensor& h, const Tensor& fired, const NeuronParams& p) {
  if (p.soft_reset) return h - fired * p.threshold;
  const Tensor kept = (1 - fired) * h;
  return p.v_reset == 0 ? kept : kept + fired * p.v_reset;
}

// A parameter in the type of what it meets: itself where that is the same.
Tensor in_type_of(const Tensor& x, const Tensor& parameter) {
  return parameter.defined() ? parameter.to(x.scalar_type()) : parameter;
}

}  // namespace

Tensor PlainPass::synapse(Synapse& layer, const Tensor& input) {
  const Tensor used = layer.hook != nullptr ? layer.hook->effective(layer.weight) : layer.weight;
  const Tensor x = at_all_steps(input);
  const Tensor rows = x.flatten(0, 1);
  const Tensor weight = in_type_of(x, used), bias = in_type_of(x, layer.bias);
  const graph::SynapseGeometry& geometry = layer.spec->geometry;
  const Tensor y = x.dim() == 3 ? at::linear(rows, weight.flatten(1), bias)
                                : at::conv2d(rows, weight, bias, geometry.stride, geometry.padding);
  return y.unflatten(0, {x.size(0), x.size(1)});
}

Tensor PlainPass::norm(Norm& layer, const Tensor& x) {
  ops::BatchNormState& s = layer.state;
  return at::batch_norm(x.flatten(0, 1), in_type_of(x, s.gamma), in_type_of(x, s.beta),
                        in_type_of(x, s.running_mean), in_type_of(x, s.running_var), training_,
                        s.momentum, s.eps, /*cudnn_enabled=*/true)
      .unflatten(0, {x.size(0), x.size(1)});
}

Tensor PlainPass::at_all_steps(const Tensor& x) const {
  if (x.size(0) != 1 || steps_ == 1) return x;
  std::vector<int64_t> repeats(static_cast<size_t>(x.dim()), 1);
  repeats[0] = steps_;
  return x.repeat(repeats);
}

Tensor PlainPass::neuron(Neuron& layer, const Tensor& input) {
  const Tensor x = at_all_steps(input);
  const NeuronParams& p = layer.spec->params;
  const Tensor k = layer.leak_logit.defined() ? at::sigmoid(layer.leak_logit) : Tensor();

  Tensor v = at::full_like(x[0], p.soft_reset ? 0 : p.v_reset);
  Tensor current;
  std::vector<Tensor> spikes, membranes;
  for (const Tensor& x_t : x.unbind(0)) {
    const bool leaks_on = graph::has_current(p.neuron) && current.defined();
    current = leaks_on ? current * (1 - p.k_syn) + x_t : x_t;
    const Tensor h = charge(v, current, p, k);
    const Tensor spike = fire(layer, static_cast<int64_t>(spikes.size()), h - p.threshold);
    v = reset(h, p.detach_reset ? spike.detach() : spike, p);
    spikes.push_back(spike);
    membranes.push_back(v.detach());
  }

  const Tensor all = at::stack(spikes);
  if (layer.hook == nullptr) return all;
  if (const Tensor activity = training_ ? layer.hook->activity() : Tensor(); activity.defined()) {
    const Tensor seen = all.detach() + at::stack(membranes).abs();
    Tensor(activity).add_(seen.transpose(0, 2).flatten(1).mean(1));
  }
  return layer.hook->changes() ? layer.hook->effective(all) : all;
}

Tensor PlainPass::fire(const Neuron& layer, int64_t, const Tensor& above) {
  const NeuronParams& p = layer.spec->params;
  return Spike::apply(above, static_cast<int64_t>(p.surrogate), p.alpha);
}

Tensor PlainPass::pool(const graph::PoolGeometry& g, const Tensor& x) {
  const Tensor rows = x.flatten(0, 1);
  const Tensor y = g.kind == graph::PoolKind::kAverage
                       ? at::avg_pool2d(rows, g.size, g.stride)
                       : at::max_pool2d(rows, g.size, g.stride, g.padding);
  return y.unflatten(0, {x.size(0), x.size(1)});
}

}  // namespace spikenm::nn
