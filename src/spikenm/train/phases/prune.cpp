#include "spikenm/metrics/sparsity_audit.h"
#include "spikenm/train/phase.h"
#include "spikenm/train/trainer.h"

namespace spikenm::train {
namespace {

// Freezes the mask, sets the dropped weights to zero and clears their moments. This phase has no
// epochs, so a run is never stopped in the middle of it.
PhaseHooks begin_prune(Trainer& trainer) {
  sparsity::Masks masks = sparsity::harden_all(trainer.method());
  SPIKENM_ASSERT(metrics::audit_masks(masks.weights).valid());
  sparsity::write_used_weights(masks);
  sparsity::apply_to_weights(masks);
  for (const sparsity::LayerMask& m : masks.weights)
    trainer.optimizer().clear_moments(m.synapse->weight, m.keep);
  trainer.freeze(std::move(masks));
  return {};
}

}  // namespace

Phase make_prune() {
  return {
      .epochs = [](const TrainOptions&) { return 0; }, .begin = begin_prune, .asks_method = true};
}

}  // namespace spikenm::train
