// One part of training: search, prune or finetune. The config lists which phases run, in order.
#pragma once

#include "spikenm/core/registry.h"

#include <functional>

namespace spikenm::train {

class Trainer;
struct TrainOptions;

class Phase {
 public:
  virtual ~Phase() = default;
  // Epochs of the budget that this phase takes.
  [[nodiscard]] virtual int64_t epochs(const TrainOptions& options) const = 0;
  virtual void run(Trainer& trainer) = 0;
};

using PhaseFactory = std::function<std::unique_ptr<Phase>()>;
const Registry<PhaseFactory>& phases();

}  // namespace spikenm::train
