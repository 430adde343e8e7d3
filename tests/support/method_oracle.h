// The same training twice: by a method, and by formulas written out in torch operations. Both see
// the gradients of the same small network with the weights that they use.
#pragma once

#include "support/small_network.h"

#include <ATen/core/grad_mode.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spikenm::test {

inline constexpr double kOracleRate = 0.1;

inline std::vector<at::Tensor> weights_of(nn::Network& network) {
  std::vector<at::Tensor> weights;
  for (const nn::Synapse& s : network.synapses()) weights.push_back(s.weight.detach().clone());
  return weights;
}

inline constexpr double kAdamRate = 1e-3;

// Adam as its authors write it.
class Adam {
 public:
  explicit Adam(const at::Tensor& like) : first_(at::zeros_like(like)), second_(first_.clone()) {}

  // What step t, the first is 1, takes from the parameter.
  at::Tensor step(const at::Tensor& gradient, int64_t t) {
    first_ = 0.9 * first_ + 0.1 * gradient;
    second_ = 0.999 * second_ + 0.001 * gradient * gradient;
    const auto n = static_cast<double>(t);
    const at::Tensor mean = first_ / (1 - std::pow(0.9, n)),
                     var = second_ / (1 - std::pow(0.999, n));
    return kAdamRate * mean / (var.sqrt() + 1e-8);
  }

 private:
  at::Tensor first_, second_;
};

enum class OracleDescent { kPlain, kAdam };

// Trains the weights under a method, at kOracleRate by plain descent and at kAdamRate by Adam.
class TrainedByMethod {
 public:
  TrainedByMethod(const std::string& name, const std::string& toml,
                  OracleDescent descent = OracleDescent::kPlain)
      : network_(small_network()), method_(method_on(*network_, name, toml)) {
    if (descent == OracleDescent::kPlain) return;
    std::vector<at::Tensor> weights;
    for (const nn::Synapse& s : network_->synapses()) weights.push_back(s.weight);
    adam_.emplace(std::move(weights), nn::OptimizerOptions{});
  }

  void step(int64_t step, int64_t steps) {
    const double rate = adam_ ? kAdamRate : kOracleRate;
    const sparsity::StepInfo info{.step = step, .steps = steps, .lr = rate};
    search_step(*network_, *method_, info);
    method_->step_parameters(/*factor=*/1, {});
    if (adam_) {
      adam_->step(rate);
    } else {
      const at::NoGradGuard no_grad;
      for (const nn::Synapse& s : network_->synapses()) s.weight.sub_(s.weight.grad(), rate);
    }
    method_->after_step(info, [](const at::Tensor&, const at::Tensor&) {});
  }

  [[nodiscard]] std::vector<at::Tensor> weights() { return weights_of(*network_); }
  [[nodiscard]] sparsity::Masks masks() const { return sparsity::harden_all(*method_); }
  [[nodiscard]] sparsity::Pruning& method() { return *method_; }

 private:
  std::unique_ptr<nn::Network> network_;
  std::unique_ptr<sparsity::Pruning> method_;
  std::optional<nn::Optimizer> adam_;
};

// The gradients of the same network with given weights.
class GradientsOf {
 public:
  GradientsOf() : network_(small_network()), dense_(method_on(*network_, "dense", "")) {}

  [[nodiscard]] std::vector<at::Tensor> first_weights() { return weights_of(*network_); }

  std::vector<at::Tensor> operator()(const std::vector<at::Tensor>& used) {
    {
      const at::NoGradGuard no_grad;
      for (size_t i = 0; i < used.size(); ++i) network_->synapses()[i].weight.copy_(used[i]);
    }
    search_step(*network_, *dense_);
    std::vector<at::Tensor> gradients;
    for (const nn::Synapse& s : network_->synapses()) gradients.push_back(s.weight.grad().clone());
    return gradients;
  }

 private:
  std::unique_ptr<nn::Network> network_;
  std::unique_ptr<sparsity::Pruning> dense_;
};

}  // namespace spikenm::test
