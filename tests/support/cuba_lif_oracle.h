// CUBA-LIF over a sequence, from its equations alone: plain loops over time in double, and the
// backward by hand. It shares no arithmetic with the kernels.
//
//   i[t] = (1 - 1/tau_syn) i[t-1] + x[t]              i[-1] = 0
//   h[t] = v[t-1] + (i[t] - (v[t-1] - rest)) / tau    v[-1] = rest: v_reset, or 0 with soft reset
//   s[t] = 1 where h[t] >= threshold
//   v[t] = s v_reset + (1 - s) h, or h - s threshold  (soft)
#pragma once

#include "support/neuron_run.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace spikenm::test {

// s and ds/dh of a firing rule at u = h - threshold.
struct Fired {
  double spike, slope;
};

// A step whose slope is the surrogate.
inline Fired fire_step(const kernels::NeuronParams& p, double u) {
  const double a = p.alpha, spike = u >= 0 ? 1 : 0;
  switch (p.surrogate) {
    case kernels::Surrogate::kAtan:
      return {spike, a / 2 / (1 + std::pow(std::numbers::pi / 2 * a * u, 2))};
    case kernels::Surrogate::kSigmoid:
      return {spike, a * std::exp(-a * u) / std::pow(1 + std::exp(-a * u), 2)};
    case kernels::Surrogate::kTriangle:
      return {spike, std::max(0.0, a - a * a * std::abs(u))};
  }
  return {};
}

// A smooth rule, whose slope is its true one.
inline Fired fire_smoothly(const kernels::NeuronParams& p, double u) {
  const double s = 1 / (1 + std::exp(-p.alpha * u));
  return {s, p.alpha * s * (1 - s)};
}

// Spikes, h, v and the gradient of L = sum(s g) in x, for x and g of [steps, n]. With
// `reset_spikes` the reset follows these instead of the neuron's own: what a detached reset
// differentiates.
template <class Fire = decltype(fire_step)>
NeuronRun<double> cuba_lif_oracle(const kernels::NeuronParams& p, int64_t steps,
                                  const std::vector<double>& x, const std::vector<double>& g,
                                  const Fire& fire = fire_step,
                                  const std::vector<double>* reset_spikes = nullptr) {
  const double tau = 1 / p.k, tau_syn = 1 / p.k_syn;
  const double rest = p.soft_reset ? 0 : p.v_reset;
  const auto n = static_cast<size_t>(static_cast<int64_t>(x.size()) / steps);
  const auto T = static_cast<size_t>(steps);
  NeuronRun<double> run;
  run.spikes = run.h = run.v = run.grad_x = std::vector<double>(x.size());
  std::vector<double> slopes(x.size());
  for (size_t j = 0; j < n; ++j) {
    double i = 0, v = rest;
    for (size_t t = 0; t < T; ++t) {
      const size_t at = t * n + j;
      i = (1 - 1 / tau_syn) * i + x[at];
      const double h = v + (i - (v - rest)) / tau;
      const Fired fired = fire(p, h - p.threshold);
      const double s = reset_spikes != nullptr ? (*reset_spikes)[at] : fired.spike;
      v = p.soft_reset ? h - s * p.threshold : s * p.v_reset + (1 - s) * h;
      run.h[at] = h;
      run.v[at] = v;
      run.spikes[at] = fired.spike;
      slopes[at] = fired.slope;
    }
    double grad_v = 0, grad_i = 0;
    for (size_t t = T; t-- > 0;) {
      const size_t at = t * n + j;
      double grad_s = g[at];
      if (!p.detach_reset) grad_s += grad_v * (p.soft_reset ? -p.threshold : p.v_reset - run.h[at]);
      const double kept = p.soft_reset ? 1 : 1 - run.spikes[at];
      const double grad_h = grad_v * kept + grad_s * slopes[at];
      grad_i = (1 - 1 / tau_syn) * grad_i + grad_h / tau;
      grad_v = grad_h * (1 - 1 / tau);
      run.grad_x[at] = grad_i;
    }
  }
  return run;
}

// Every surrogate x reset (hard to 0, hard to -0.2, soft) x detach_reset x leak of the current.
inline std::vector<kernels::NeuronParams> all_cuba_lif_params() {
  std::vector<kernels::NeuronParams> all;
  for (kernels::NeuronParams p : all_neuron_params()) {
    if (p.neuron != kernels::Neuron::kCubaLif) continue;
    for (const double tau_syn : {1.0, 1.25, 5.0}) {
      p.k_syn = 1 / tau_syn;
      all.push_back(p);
    }
  }
  return all;
}

}  // namespace spikenm::test
