#include "spikenm/nn/trace.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace spikenm::nn {
namespace {

// Tensors are [1,L+1,...] in their real shapes: sample j is nonzero where spikes of neuron layer j
// arrive, and sample L is there for networks without neurons. A synapse sees in its input who feeds
// it and gives zeros; a neuron layer gives ones in its own sample.
class TracePass : public Pass {
 public:
  explicit TracePass(Network& network) {
    for (Synapse& s : network.synapses()) found_.synapses.push_back({.synapse = &s});
    for (Neuron& n : network.neurons())
      found_.neurons.push_back({.neuron = &n, .shape = {}, .readers = {}});
  }

  [[nodiscard]] int64_t samples() const { return static_cast<int64_t>(found_.neurons.size()) + 1; }
  [[nodiscard]] const NetworkTrace& found() const { return found_; }

  Tensor synapse(Synapse& layer, const Tensor& x) override {
    const Tensor feeds = x.flatten(2).ne(0).any(2).view({-1});  // [L+1]
    for (size_t j = 0; j < found_.neurons.size(); ++j) {
      std::vector<Synapse*>& readers = found_.neurons[j].readers;
      const bool known = std::find(readers.begin(), readers.end(), &layer) != readers.end();
      if (!known && feeds[static_cast<int64_t>(j)].item<bool>()) readers.push_back(&layer);
    }
    SynapseTrace& found = *std::find_if(found_.synapses.begin(), found_.synapses.end(),
                                        [&](const SynapseTrace& s) { return s.synapse == &layer; });
    std::vector<int64_t> out{1, samples(), layer.weight.size(0)};
    if (x.dim() == 5) {
      found.in_height = x.size(3);
      found.in_width = x.size(4);
      found.out_height = output_size(layer, x.size(3), 2);
      found.out_width = output_size(layer, x.size(4), 3);
      out.push_back(found.out_height);
      out.push_back(found.out_width);
    }
    return at::zeros(out);
  }

  Tensor norm(Norm&, const Tensor& x) override { return x; }

  Tensor neuron(Neuron& layer, const Tensor& x) override {
    std::vector<NeuronTrace>& all = found_.neurons;
    const auto own = std::find_if(all.begin(), all.end(),
                                  [&](const NeuronTrace& n) { return n.neuron == &layer; });
    own->shape = x.sizes().slice(2).vec();
    Tensor spikes = at::zeros(x.sizes());
    spikes.select(1, own - all.begin()).fill_(1);
    return spikes;
  }

  Tensor pool(const ops::PoolGeometry& geometry, const Tensor& x) override {
    return ops::pool(x, geometry);
  }

 private:
  static int64_t output_size(const Synapse& layer, int64_t in, int64_t axis) {
    const ops::SynapseGeometry& g = layer.geometry;
    return g.out(in, layer.weight.size(axis));
  }

  NetworkTrace found_;
};

}  // namespace

NetworkTrace trace(Network& network) {
  const at::NoGradGuard no_grad;
  TracePass pass(network);
  const FrameShape& frame = network.frame();
  static_cast<void>(network.forward(
      pass, at::zeros({1, pass.samples(), frame.channels, frame.height, frame.width})));
  return pass.found();
}

}  // namespace spikenm::nn
