#include "spikenm/nn/map_sizes.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::nn {
namespace {

// Tensors are [1,1,...] on the meta device: they have sizes and no values.
class SizePass : public Pass {
 public:
  explicit SizePass(LargestMap& largest) : largest_(largest) {}

  Tensor synapse(Synapse& layer, const Tensor& x) override {
    std::vector<int64_t> sizes{1, 1, layer.weight.size(0)};
    if (x.dim() == 5)
      for (const int64_t axis : {2, 3})
        sizes.push_back(layer.geometry.out(x.size(axis + 1), layer.weight.size(axis)));
    Tensor y = at::empty(sizes, x.options());
    if (y.numel() > largest_.values) largest_ = {.layer = layer.name, .values = y.numel()};
    return y;
  }
  Tensor norm(Norm&, const Tensor& x) override { return x; }
  Tensor neuron(Neuron&, const Tensor& x) override { return x; }
  Tensor pool(const ops::PoolGeometry& geometry, const Tensor& x) override {
    return at::empty({1, 1, x.size(2), geometry.out(x.size(3)), geometry.out(x.size(4))},
                     x.options());
  }

 private:
  LargestMap& largest_;
};

}  // namespace

LargestMap largest_map(Network& network) {
  const at::NoGradGuard no_grad;
  const FrameShape& frame = network.frame();
  const Tensor input = at::empty({1, 1, frame.channels, frame.height, frame.width},
                                 at::device(at::kMeta).dtype(at::kFloat));
  LargestMap largest{.layer = "the input", .values = input.numel()};
  SizePass pass(largest);
  static_cast<void>(network.forward(pass, input));
  return largest;
}

}  // namespace spikenm::nn
