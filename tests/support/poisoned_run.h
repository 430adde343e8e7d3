// A run whose steps go wrong for a while.
#pragma once

#include "support/tiny_run.h"

#include <ATen/ATen.h>

#include <limits>

namespace spikenm::test {

// A NaN in a norm's scale before step `from`, and the old values back before step `to`. Running
// statistics do not see it.
struct PoisonedRun : TinyRun {
  PoisonedRun(const std::vector<std::string>& overrides, int64_t from, int64_t to)
      : TinyRun(overrides, {.between_steps =
                                [this, from, to] {
                                  if (trainer.steps() == from) scale()[0] = kNan;
                                  if (trainer.steps() == to) scale().copy_(before);
                                }}),
        before(scale().clone()) {}

  at::Tensor scale() { return recipe.model.network->norms()[0].state.gamma.detach(); }

  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  at::Tensor before;
};

}  // namespace spikenm::test
