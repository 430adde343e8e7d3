#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/phase.h"
#include "spikenm/train/search_hooks.h"
#include "spikenm/train/trainer.h"

namespace spikenm::train {
namespace {

// Eq. (22): weights and logits minimise task + lambda L_EID together. Validation uses the mask that
// prune would freeze now, and draws no new one.
class Search : public Phase {
 public:
  [[nodiscard]] int64_t epochs(const TrainOptions& options) const override {
    return options.search_epochs;
  }

  void run(Trainer& trainer) override {
    sparsity::Method& method = trainer.method();
    SearchHooks search(method, trainer.schedule(), trainer.optimizer());
    const StepHooks step_hooks = search.hooks();
    const int64_t n = epochs(trainer.options());
    for (int64_t epoch = 0; epoch < n; ++epoch) {
      EpochRecord record =
          trainer.train_epoch("search", epoch, n, /*finetuning=*/false, step_hooks);
      {
        const sparsity::FrozenHooks frozen(sparsity::harden_all(method));
        trainer.validate(record);
      }
      record.extra = method.take_statistics();
      trainer.log_epoch(record);
    }
  }
};

}  // namespace

std::unique_ptr<Phase> make_search() {
  return std::make_unique<Search>();
}

}  // namespace spikenm::train
