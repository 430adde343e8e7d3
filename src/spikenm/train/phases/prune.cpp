#include "spikenm/metrics/sparsity_audit.h"
#include "spikenm/train/phase.h"
#include "spikenm/train/trainer.h"

namespace spikenm::train {
namespace {

// Freezes the mask, sets the weights that it drops to zero, and resets their moments.
class Prune : public Phase {
 public:
  [[nodiscard]] int64_t epochs(const TrainOptions&) const override { return 0; }

  void run(Trainer& trainer) override {
    sparsity::Masks masks = sparsity::harden_all(trainer.method());
    SPIKENM_ASSERT(metrics::audit_masks(masks.weights).valid());
    sparsity::apply_to_weights(masks);
    for (const sparsity::LayerMask& m : masks.weights)
      trainer.optimizer().clear_moments(m.synapse->weight, m.keep);
    trainer.freeze(std::move(masks));
  }
};

}  // namespace

std::unique_ptr<Phase> make_prune() {
  return std::make_unique<Prune>();
}

}  // namespace spikenm::train
