#include "spikenm/train/phase.h"
#include "spikenm/train/search_hooks.h"
#include "spikenm/train/trainer.h"

namespace spikenm::train {
namespace {

// Eq. (22): weights and logits together minimise task + lambda L_EID. Validation uses the mask that
// prune would freeze now; nothing is drawn for it.
PhaseHooks begin_search(Trainer& trainer) {
  sparsity::Pruning& method = trainer.method();
  const auto search =
      std::make_shared<SearchHooks>(method, trainer.schedule(), trainer.optimizer());
  return {.step = search->hooks(),
          .validation_masks = [&method] { return sparsity::harden_all(method); },
          .statistics = [&method] { return method.take_statistics(); },
          .installed = search};
}

}  // namespace

Phase make_search() {
  return {.epochs = [](const TrainOptions& options) { return options.search_epochs; },
          .begin = begin_search,
          .asks_method = true};
}

}  // namespace spikenm::train
