// Counts steps whose loss or gradients are not finite, on the device that made them: the host does
// not wait for an answer.
#pragma once

#include <cstdint>

namespace spikenm::kernels {

// The current row of bad steps. Zero bytes are a count before its first step.
struct BadSteps {
  int64_t seen = 0;      // steps so far
  int64_t in_a_row = 0;  // bad steps since the last good one; it no longer falls at the limit
  int64_t first = 0;     // number of the row's first step, from 0
  int64_t blamed = 0;    // of that step: index of the last value that was not finite
  double loss = 0;       // of that step
};

// A step may be seen twice: the second look has more values, that were made after the first.
struct SeenStep {
  bool is_second_look = false;
  int64_t first_value = 0;        // index of its first value, for `blamed`
  int64_t n = 0;                  // number of values
  const float* values = nullptr;  // [n], one per gradient: its largest magnitude
  const double* loss = nullptr;
  const float* loss_scale = nullptr;  // null: none. Above 1, an overflow is the scale's fault
  int64_t limit = 1;                  // after this many bad steps in a row no step is taken
  float* skip = nullptr;              // set to 1 if no optimiser may take this step, else to 0
  int64_t* row_before = nullptr;      // in_a_row without this step; lasts from look to look
};

void see_step(const SeenStep& step, BadSteps* state);
void see_step_cuda(const SeenStep& step, BadSteps* state, void* stream);

}  // namespace spikenm::kernels
