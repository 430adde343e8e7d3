// How far the membranes of a network stay from their thresholds: where that is more than rounding,
// every device has the same spikes.
#pragma once

#include "spikenm/nn/run_pass.h"
#include "support/neuron_run.h"
#include "support/tensors.h"

#include <algorithm>
#include <limits>

namespace spikenm::test {

// Computes like RunPass, batch norm and neuron one after the other, on the CPU.
class MarginPass : public nn::RunPass {
 public:
  explicit MarginPass(int64_t steps) : RunPass(/*training=*/true, nullptr, steps), steps_(steps) {}

  // The smallest |membrane - threshold| of any neuron at any step.
  [[nodiscard]] double margin() const { return margin_; }

  at::Tensor neuron(nn::Neuron& layer, const at::Tensor& x) override {
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes[0] = steps_;
    const auto current = values_of<double>(x.detach().expand(sizes).to(at::kDouble));
    const auto run = run_neuron_ref<double>(layer.spec->params, steps_, current, current);
    for (const double h : run.h)
      margin_ = std::min(margin_, std::abs(h - layer.spec->params.threshold));
    return RunPass::neuron(layer, x);
  }
  at::Tensor run(nn::Network& network, const at::Tensor& x) override {
    return Pass::run(network, x);
  }

 private:
  int64_t steps_;
  double margin_ = std::numeric_limits<double>::infinity();
};

}  // namespace spikenm::test
