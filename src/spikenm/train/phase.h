// A stretch of training, as data: search, prune, finetune. The config lists which run, in order; the
// trainer owns the one loop over their epochs.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/core/registry.h"
#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/step.h"

#include <functional>
#include <memory>

namespace spikenm::train {

class Trainer;
struct TrainOptions;

// What a phase puts around the trainer's epochs, from its begin to its end. All may be null.
struct PhaseHooks {
  StepHooks step;
  // The masks that validation uses.
  std::function<sparsity::Masks()> validation_masks;
  // What the phase watched in an epoch, for its metrics line.
  std::function<Json()> statistics;
  // What must live as long as the phase: hooks in the network.
  std::shared_ptr<void> installed;
};

struct Phase {
  // Epochs this phase takes of the budget.
  std::function<int64_t(const TrainOptions&)> epochs;
  // Called when the phase begins, and when a stopped run goes on in the middle of it.
  std::function<PhaseHooks(Trainer&)> begin;
  bool asks_method = false;  // trains the method, or asks it for masks
  bool finetunes = false;    // has finetuning's rates, and its best epoch is kept
};

using PhaseFactory = std::function<Phase()>;
const Registry<PhaseFactory>& phases();

}  // namespace spikenm::train
