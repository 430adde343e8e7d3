// A phase of training, described as data: search, prune or finetune. The config lists the phases in
// order. The trainer runs the epochs of all phases in the same loop.
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

// What a phase adds to the trainer's epochs until it ends. Any field may be empty.
struct PhaseHooks {
  StepHooks step;
  // Returns the masks that validation uses.
  std::function<sparsity::Masks()> validation_masks;
  // Returns what the phase measured in an epoch, for the epoch's metrics line.
  std::function<Json()> statistics;
  // An object that lives until the phase ends, such as hooks in the network.
  std::shared_ptr<void> installed;
};

struct Phase {
  // Returns the number of epochs of this phase.
  std::function<int64_t(const TrainOptions&)> epochs;
  // Called when the phase begins, and again if a run continues in the middle of it.
  std::function<PhaseHooks(Trainer&)> begin;
  bool asks_method = false;  // it trains the method, or asks it for masks
  bool finetunes = false;    // it uses the learning rates of finetuning; its best epoch is saved
};

using PhaseFactory = std::function<Phase()>;
const Registry<PhaseFactory>& phases();

}  // namespace spikenm::train
