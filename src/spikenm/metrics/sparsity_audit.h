// What is left of weights and neurons, and the proof that every mask obeys its rule.
#pragma once

#include "spikenm/sparsity/frozen_masks.h"

#include <string>
#include <vector>

namespace spikenm::metrics {

struct LayerAudit {
  std::string name;
  nm::MaskAudit audit;
  nm::Mask::Kind rule = nm::Mask::Kind::kNm;
};

struct SparsityAudit {
  std::vector<LayerAudit> layers;  // masked layers
  int64_t left_dense = 0;          // weights of layers that may be masked and are not
  // Kept share of the weights of masked layers, in percent; tails count as kept. 100 without masks.
  [[nodiscard]] double weight_percent() const;
  // The same over all layers that may be masked: those left dense keep all their weights.
  [[nodiscard]] double weight_percent_all() const;
  [[nodiscard]] bool valid() const;     // every mask obeys its rule
  [[nodiscard]] bool nm_valid() const;  // and every rule is n:m
  [[nodiscard]] int64_t empty_blocks() const;
};

SparsityAudit audit_masks(const std::vector<sparsity::LayerMask>& masks);
// Of all that may be masked in a network.
SparsityAudit audit_network(nn::Network& network, const std::vector<sparsity::LayerMask>& masks);

struct NeuronCount {
  std::string name;
  int64_t kept = 0, all = 0;
  [[nodiscard]] double percent() const;
};

struct NeuronAudit {
  std::vector<NeuronCount> layers;  // masked layers
  // Kept share of the neurons of masked layers. 100 without masks.
  [[nodiscard]] double percent() const;
};

NeuronAudit audit_neurons(const std::vector<sparsity::NeuronMask>& masks);

}  // namespace spikenm::metrics
