// What is left of the weights, and the proof that every block obeys its pattern.
#pragma once

#include "spikenm/sparsity/frozen_masks.h"

#include <string>
#include <vector>

namespace spikenm::metrics {

struct LayerAudit {
  std::string name;
  nm::MaskAudit audit;
};

struct SparsityAudit {
  std::vector<LayerAudit> layers;  // masked layers
  // Kept share of the weights of masked layers, in percent; tails count as kept. 100 without masks.
  [[nodiscard]] double weight_percent() const;
  [[nodiscard]] bool valid() const;  // no block keeps more than its n
  [[nodiscard]] int64_t empty_blocks() const;
};

SparsityAudit audit_masks(const std::vector<sparsity::LayerMask>& masks);

}  // namespace spikenm::metrics
