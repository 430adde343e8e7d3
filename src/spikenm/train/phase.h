// A stretch of training: search, prune, finetune. The config lists which run, in order.
#pragma once

#include "spikenm/core/registry.h"

#include <functional>

namespace spikenm::train {

class Trainer;
struct TrainOptions;

class Phase {
 public:
  virtual ~Phase() = default;
  // Epochs this phase takes of the budget.
  [[nodiscard]] virtual int64_t epochs(const TrainOptions& options) const = 0;
  virtual void run(Trainer& trainer) = 0;
};

using PhaseFactory = std::function<std::unique_ptr<Phase>()>;
const Registry<PhaseFactory>& phases();

}  // namespace spikenm::train
