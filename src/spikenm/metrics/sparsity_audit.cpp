#include "spikenm/metrics/sparsity_audit.h"

#include <algorithm>

namespace spikenm::metrics {

double SparsityAudit::weight_percent() const {
  int64_t kept = 0, all = 0;
  for (const LayerAudit& layer : layers) {
    kept += layer.audit.kept;
    all += layer.audit.weights;
  }
  return all == 0 ? 100.0 : 100.0 * static_cast<double>(kept) / static_cast<double>(all);
}

bool SparsityAudit::valid() const {
  return std::all_of(layers.begin(), layers.end(),
                     [](const LayerAudit& layer) { return layer.audit.valid(); });
}

int64_t SparsityAudit::empty_blocks() const {
  int64_t sum = 0;
  for (const LayerAudit& layer : layers) sum += layer.audit.empty_blocks;
  return sum;
}

SparsityAudit audit_masks(const std::vector<sparsity::LayerMask>& masks) {
  SparsityAudit result;
  for (const sparsity::LayerMask& m : masks)
    result.layers.push_back({.name = m.synapse->name, .audit = nm::audit(m.mask)});
  return result;
}

}  // namespace spikenm::metrics
