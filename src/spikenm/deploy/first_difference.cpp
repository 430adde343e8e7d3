#include "spikenm/deploy/first_difference.h"

#include "spikenm/nn/plain_pass.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace spikenm::deploy {
namespace {

// Computes in double, and lets every layer fire as it did in training: so each membrane is that
// which follows from the trainer's own spikes.
class MembranePass : public nn::PlainPass {
 public:
  MembranePass(const TrainedSpikes& trained, const Difference& place, int64_t steps)
      : PlainPass(/*training=*/false, steps), trained_(trained), place_(place) {}

  at::Tensor above;  // [C,...]: membrane - threshold at the place

 protected:
  at::Tensor fire(const nn::Neuron& layer, int64_t step, const at::Tensor& above_now) override {
    if (layer.node == place_.neurons && step == place_.step) above = above_now[0];
    return trained_.at(layer.node)[step].unsqueeze(0).to(at::kDouble);
  }

 private:
  const TrainedSpikes& trained_;
  Difference place_;
};

// Indices of neurons whose spikes differ at the first step where any does.
struct Parting {
  int64_t step = 0;
  std::vector<size_t> neurons;
};

std::optional<Parting> parting(const at::Tensor& trained, const std::vector<float>& run) {
  const at::Tensor own = trained.contiguous();
  const float* const wanted = own.const_data_ptr<float>();
  const auto per_step = static_cast<size_t>(own.numel() / own.size(0));
  for (size_t begin = 0; begin + per_step <= run.size(); begin += per_step) {
    Parting found{.step = static_cast<int64_t>(begin / per_step), .neurons = {}};
    for (size_t i = 0; i < per_step; ++i)
      if ((wanted[begin + i] != 0) != (run[begin + i] != 0)) found.neurons.push_back(i);
    if (!found.neurons.empty()) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Difference> first_difference(nn::Network& network, const at::Tensor& input,
                                           const TrainedSpikes& trained, const RunSpikes& run) {
  for (const auto& [node, spikes] : trained) {  // in forward order
    const std::optional<Parting> found = parting(spikes, run.at(node));
    if (!found) continue;
    Difference first{.neurons = node, .step = found->step, .distance = 0};
    MembranePass pass(trained, first, spikes.size(0));
    static_cast<void>(network.forward(pass, input.to(at::kDouble)));
    const at::Tensor above = pass.above.contiguous();
    for (const size_t i : found->neurons)
      first.distance = std::max(first.distance, std::abs(above.const_data_ptr<double>()[i]));
    return first;
  }
  return std::nullopt;
}

}  // namespace spikenm::deploy
