#include "spikenm/train/phase.h"
#include "spikenm/train/trainer.h"

namespace spikenm::train {
namespace {

// Eq. (23): the mask is fixed and only the weights learn. Momentum or decay may move a pruned
// weight, so weights are masked again after every step.
class Finetune : public Phase {
 public:
  [[nodiscard]] int64_t epochs(const TrainOptions& options) const override {
    return options.epochs - options.search_epochs;
  }

  void run(Trainer& trainer) override {
    const sparsity::FrozenHooks hooks(trainer.masks());
    const StepHooks step_hooks{
        .after_step = [&](const Position&) { sparsity::apply_to_weights(trainer.masks()); },
        .recording = [] { return std::optional<int64_t>(0); }};
    const int64_t n = epochs(trainer.options());
    for (int64_t epoch = 0; epoch < n; ++epoch) {
      EpochRecord record =
          trainer.train_epoch("finetune", epoch, n, /*finetuning=*/true, step_hooks);
      trainer.validate(record);
      trainer.log_epoch(record);
      trainer.keep_if_best(record);
    }
  }
};

}  // namespace

std::unique_ptr<Phase> make_finetune() {
  return std::make_unique<Finetune>();
}

}  // namespace spikenm::train
