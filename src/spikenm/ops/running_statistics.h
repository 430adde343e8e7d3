// The running statistics of a norm, [C] each, while it trains.
#pragma once

#include <ATen/core/Tensor.h>

namespace spikenm::ops {

struct Statistics {
  at::Tensor mean, variance;
};

// Sets `running` to `moved` in the channels where both statistics are finite. Elsewhere it stays: a
// step that found such values changes no weight either, and training may go on after it.
void take_finite(const Statistics& running, const Statistics& moved);

// Moves `running` towards what a batch measured in `per_channel` values, where that is finite.
void move_running(const Statistics& running, const Statistics& measured, int64_t per_channel,
                  double momentum);

}  // namespace spikenm::ops
