// One step of the count of bad steps.
#pragma once

#include "spikenm/kernels/bad_steps.h"
#include "spikenm/kernels/math/value.h"

#include <cmath>

namespace spikenm::kernels {

// `blamed` is the index of the last value that is not finite; -1: all are.
SPIKENM_HD void count_step(const SeenStep& step, int64_t blamed, BadSteps& state) {
  const bool bad_loss = !std::isfinite(*step.loss), bad_gradient = blamed >= 0;
  if (step.is_second_look) {
    if (!bad_gradient || *step.skip != 0) return;  // nothing new
    state.in_a_row = *step.row_before;
  } else {
    ++state.seen;
    *step.row_before = state.in_a_row;
  }

  const bool is_scaled = step.loss_scale != nullptr && *step.loss_scale > 1;
  const bool counts = bad_loss || (bad_gradient && !is_scaled);
  if (state.in_a_row < step.limit) {
    if (counts && state.in_a_row == 0) {
      state.first = state.seen - 1;
      state.blamed = bad_gradient ? step.first_value + blamed : -1;
      state.loss = *step.loss;
    }
    state.in_a_row = counts ? state.in_a_row + 1 : 0;
  }
  *step.skip = bad_loss || bad_gradient || state.in_a_row >= step.limit ? 1.0f : 0.0f;
}

}  // namespace spikenm::kernels
