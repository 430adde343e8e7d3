#include "spikenm/sparsity/connectivity.h"

#include "spikenm/nn/pass.h"
#include "spikenm/ops/pool.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::sparsity {
namespace {

// Tensors are [1,2,...]: sample 0 is the live map, sample 1 the dense one, so pools and sums of the
// model treat both alike. Maps are float, as pools want them on a GPU; counts are double, so that
// they are whole whatever way a convolution takes to them.
class ConnectivityPass : public nn::Pass {
 public:
  ConnectivityPass(const Masks& masks, Connectivity& result) : masks_(masks), result_(result) {}

  Tensor synapse(nn::Synapse& layer, const Tensor& x) override {
    const Tensor keep = keep_of(layer), live = x.narrow(1, 0, 1);
    Tensor alive = keep.defined() ? connect(layer, live, keep) : connect_all(layer, live);
    if (const Tensor kept = kept_neurons(layer); kept.defined()) alive = alive * kept;
    const Tensor dense = connect_all(layer, x.narrow(1, 1, 1));
    if (layer.spec->maskable) {
      result_.layers.push_back({.name = layer.name,
                                .alive = alive.sum().item<double>(),
                                .dense = dense.sum().item<double>()});
    }
    const Tensor lives = alive.gt(kTiny).to(at::kFloat);
    return at::cat({lives, at::ones_like(lives)}, 1);
  }
  Tensor norm(nn::Norm&, const Tensor& x) override { return x; }
  Tensor neuron(nn::Neuron&, const Tensor& x) override { return x; }
  Tensor pool(const graph::PoolGeometry& geometry, const Tensor& x) override {
    return ops::pool(x, geometry);
  }

 private:
  // Below any connection, above any rounding.
  static constexpr double kTiny = 1e-6;

  // x [1,1,C,H,W] or [1,1,C], weight [Cout,C,kh,kw].
  static Tensor connect(const nn::Synapse& layer, const Tensor& x, const Tensor& weight) {
    const Tensor in = x.squeeze(0).to(at::kDouble);
    if (x.dim() == 3) return at::mm(in, weight.flatten(1).t()).unsqueeze(0);
    return at::conv2d(in, weight, {}, layer.spec->geometry.stride, layer.spec->geometry.padding).unsqueeze(0);
  }

  // With kernels of ones: the sum over input channels is enough, and all output channels are one.
  static Tensor connect_all(const nn::Synapse& layer, const Tensor& x) {
    const nm::WeightShape shape = layer.shape();
    const Tensor ones = at::ones({1, 1, shape.kh, shape.kw}, x.options().dtype(at::kDouble));
    const Tensor one = connect(layer, x.sum(2, /*keepdim=*/true), ones);
    std::vector<int64_t> sizes = one.sizes().vec();
    sizes[2] = shape.cout;
    return one.expand(sizes);
  }

  // In double, or undefined when the layer is not masked.
  [[nodiscard]] Tensor keep_of(const nn::Synapse& layer) const {
    for (const LayerMask& m : masks_.weights) {
      if (m.synapse == &layer) return m.keep.to(at::kDouble);
    }
    return {};
  }

  // Of the neurons that the layer drives, or undefined when they are not masked.
  [[nodiscard]] Tensor kept_neurons(const nn::Synapse& layer) const {
    for (const NeuronMask& m : masks_.neurons) {
      if (m.neuron == layer.drives) return m.keep;
    }
    return {};
  }

  const Masks& masks_;
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

Connectivity count_connections(nn::Network& network, const Masks& masks, int64_t channels,
                               int64_t height, int64_t width) {
  const at::NoGradGuard no_grad;
  Connectivity result;
  ConnectivityPass pass(masks, result);
  static_cast<void>(network.forward(
      pass, at::ones({1, 2, channels, height, width}, at::device(network.device()))));
  return result;
}

}  // namespace spikenm::sparsity
