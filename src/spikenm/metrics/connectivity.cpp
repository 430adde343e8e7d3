#include "spikenm/metrics/connectivity.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::metrics {
namespace {

using at::Tensor;

// Tensors are [1,2,...]: sample 0 is the live map, sample 1 the dense one, so pools and sums of the
// model treat both alike.
class ConnectivityPass : public nn::Pass {
 public:
  ConnectivityPass(const std::vector<sparsity::LayerMask>& masks, Connectivity& result)
      : masks_(masks), result_(result) {}

  Tensor synapse(nn::Synapse& layer, const Tensor& x) override {
    const Tensor ones = at::ones(layer.weight.sizes(), at::kDouble);
    const Tensor alive = ops::synapse(x.narrow(1, 0, 1), keep_of(layer, ones), layer.geometry);
    const Tensor dense = ops::synapse(x.narrow(1, 1, 1), ones, layer.geometry);
    result_.layers.push_back({.name = layer.name,
                              .alive = alive.sum().item<double>(),
                              .dense = dense.sum().item<double>()});
    return at::cat({alive.ne(0).to(at::kDouble), at::ones_like(dense)}, 1);
  }
  Tensor norm(nn::Norm&, const Tensor& x) override { return x; }
  Tensor neuron(nn::Neuron&, const Tensor& x) override { return x; }
  Tensor pool(ops::PoolKind kind, int64_t size, const Tensor& x) override {
    return ops::pool(x, kind, size);
  }

 private:
  Tensor keep_of(const nn::Synapse& layer, const Tensor& ones) const {
    for (const sparsity::LayerMask& m : masks_) {
      if (m.synapse == &layer) return m.keep.to(at::kDouble);
    }
    return ones;
  }

  const std::vector<sparsity::LayerMask>& masks_;
  Connectivity& result_;
};

}  // namespace

double Connectivity::alive() const {
  double sum = 0;
  for (const LayerConnections& layer : layers) sum += layer.alive;
  return sum;
}

double Connectivity::dense() const {
  double sum = 0;
  for (const LayerConnections& layer : layers) sum += layer.dense;
  return sum;
}

Connectivity count_connections(nn::Network& network, const std::vector<sparsity::LayerMask>& masks,
                               int64_t channels, int64_t height, int64_t width) {
  const at::NoGradGuard no_grad;
  Connectivity result;
  ConnectivityPass pass(masks, result);
  static_cast<void>(network.forward(pass, at::ones({1, 2, channels, height, width}, at::kDouble)));
  return result;
}

}  // namespace spikenm::metrics
