#include "spikenm/metrics/sparsity_audit.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace spikenm::metrics {

namespace {

// Of the layers' weights and of `dense` others, all of which are kept.
double percent_kept(const std::vector<LayerAudit>& layers, int64_t dense) {
  int64_t kept = dense, all = dense;
  for (const LayerAudit& layer : layers) {
    kept += layer.audit.kept;
    all += layer.audit.weights;
  }
  return all == 0 ? 100.0 : 100.0 * static_cast<double>(kept) / static_cast<double>(all);
}

}  // namespace

double SparsityAudit::weight_percent() const {
  return percent_kept(layers, 0);
}

double SparsityAudit::weight_percent_all() const {
  return percent_kept(layers, left_dense);
}

bool SparsityAudit::valid() const {
  return std::all_of(layers.begin(), layers.end(),
                     [](const LayerAudit& layer) { return layer.audit.valid(); });
}

bool SparsityAudit::nm_valid() const {
  return valid() && std::all_of(layers.begin(), layers.end(), [](const LayerAudit& layer) {
           return layer.rule == nm::Mask::Kind::kNm;
         });
}

int64_t SparsityAudit::empty_blocks() const {
  int64_t sum = 0;
  for (const LayerAudit& layer : layers) sum += layer.audit.empty_blocks;
  return sum;
}

SparsityAudit audit_masks(const std::vector<sparsity::LayerMask>& masks) {
  SparsityAudit result;
  for (const sparsity::LayerMask& m : masks)
    result.layers.push_back(
        {.name = m.synapse->name, .audit = nm::audit(m.mask), .rule = m.mask.kind});
  return result;
}

SparsityAudit audit_network(nn::Network& network, const std::vector<sparsity::LayerMask>& masks) {
  SparsityAudit result = audit_masks(masks);
  for (const nn::Synapse& synapse : network.synapses()) {
    const bool masked = std::any_of(masks.begin(), masks.end(),
                                    [&](const auto& mask) { return mask.synapse == &synapse; });
    if (synapse.spec->maskable && !masked) result.left_dense += synapse.weight.numel();
  }
  return result;
}

double NeuronCount::percent() const {
  return all == 0 ? 100.0 : 100.0 * static_cast<double>(kept) / static_cast<double>(all);
}

double NeuronAudit::percent() const {
  NeuronCount sum;
  for (const NeuronCount& layer : layers) {
    sum.kept += layer.kept;
    sum.all += layer.all;
  }
  return sum.percent();
}

NeuronAudit audit_neurons(const std::vector<sparsity::NeuronMask>& masks) {
  NeuronAudit result;
  for (const sparsity::NeuronMask& m : masks)
    result.layers.push_back({.name = m.neuron->name,
                             .kept = m.keep.count_nonzero().item<int64_t>(),
                             .all = m.keep.numel()});
  return result;
}

}  // namespace spikenm::metrics
