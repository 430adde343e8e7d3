// The same training twice: by a method, and by formulas written out in torch operations. Both see
// the gradients of the same small network with the weights that they use.
#pragma once

#include "support/small_network.h"

#include <ATen/core/grad_mode.h>

#include <functional>
#include <memory>
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

// Trains the weights by plain gradient descent under a method.
class TrainedByMethod {
 public:
  TrainedByMethod(const std::string& name, const std::string& toml)
      : network_(small_network()), method_(method_on(*network_, name, toml)) {}

  void step(int64_t step, int64_t steps) {
    const sparsity::StepInfo info{.step = step, .steps = steps, .lr = kOracleRate};
    search_step(*network_, *method_, info);
    method_->step_parameters(/*factor=*/1, {});
    {
      const at::NoGradGuard no_grad;
      for (const nn::Synapse& s : network_->synapses()) s.weight.sub_(s.weight.grad(), kOracleRate);
    }
    method_->after_step(info, [](const at::Tensor&, const at::Tensor&) {});
  }

  [[nodiscard]] std::vector<at::Tensor> weights() { return weights_of(*network_); }
  [[nodiscard]] sparsity::Masks masks() const { return sparsity::harden_all(*method_); }
  [[nodiscard]] sparsity::Pruning& method() { return *method_; }

 private:
  std::unique_ptr<nn::Network> network_;
  std::unique_ptr<sparsity::Pruning> method_;
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
