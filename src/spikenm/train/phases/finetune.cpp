#include "spikenm/train/phase.h"
#include "spikenm/train/trainer.h"

namespace spikenm::train {
namespace {

// Eq. (23): the mask is fixed and only the weights learn. Momentum or decay may change a pruned
// weight, so the mask is applied again after every step.
PhaseHooks begin_finetune(Trainer& trainer) {
  return {.step = {.after_step =
                       [&trainer](const Position&) { sparsity::apply_to_weights(trainer.masks()); },
                   .recording = [] { return std::optional<int64_t>(0); }},
          .installed = std::make_shared<sparsity::FrozenHooks>(trainer.masks())};
}

}  // namespace

Phase make_finetune() {
  return {
      .epochs = [](const TrainOptions& options) { return options.epochs - options.search_epochs; },
      .begin = begin_finetune,
      .finetunes = true};
}

}  // namespace spikenm::train
