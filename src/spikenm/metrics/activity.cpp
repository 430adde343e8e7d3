#include "spikenm/metrics/activity.h"

#include "spikenm/graph/walks.h"
#include "spikenm/sparsity/connectivity.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace spikenm::metrics {
namespace {

// 0 or 1 per output of a sample; undefined where the list is empty.
at::Tensor as_tensor(const std::vector<uint8_t>& useful, const graph::Shape& out,
                     const at::Device& device) {
  if (useful.empty()) return {};
  at::Tensor bytes = at::empty(out.sizes(), at::kByte);
  std::copy(useful.begin(), useful.end(), bytes.mutable_data_ptr<uint8_t>());
  return bytes.to(device, at::kFloat);
}

}  // namespace

ActivityObserver::ActivityObserver(const nn::Network& network, const sparsity::Masks& masks)
    : first_synapse_(network.synapses().front().node) {
  const graph::Graph& graph = network.graph();
  const std::vector<graph::Signal> signals = graph::signals(graph);
  const graph::Kept useful =
      graph::useful_values(graph, sparsity::kept_by({.neurons = masks.neurons}, graph));

  for (const nn::Synapse& layer : network.synapses()) {
    const graph::Node& node = graph.node(layer.node);
    if (!layer.spec->maskable || signals[node.inputs[0]] != graph::Signal::kSpikes) continue;
    useful_outputs_[layer.node] = as_tensor(useful[layer.node], node.out, network.device());
  }
}

void ActivityObserver::on_synapse_input(const nn::Synapse& layer, const at::Tensor& x,
                                        const at::Tensor& weight) {
  if (layer.node == first_synapse_) {
    samples_ += x.size(1);
    ++batches_;
  }
  const auto counted = useful_outputs_.find(layer.node);
  if (counted == useful_outputs_.end()) return;
  sops_.add(x, ops::reach_of(weight, layer.spec->geometry, x.sizes(), counted->second));
}

double ActivityObserver::sops_per_sample() const {
  return samples_ == 0 ? 0 : sops_.total() / static_cast<double>(samples_);
}

double ActivityObserver::sops_per_sample_upr(int64_t batch_size) const {
  return batches_ == 0 ? 0 : sops_.total() / static_cast<double>(batches_ * batch_size);
}

}  // namespace spikenm::metrics
