// The position in training.
#pragma once

#include "spikenm/nn/state.h"
#include "spikenm/train/recipe.h"

#include <cstdint>
#include <string>

namespace spikenm::train {

struct Cursor {
  int64_t phase = 0;        // index in the recipe's list of phases
  int64_t epoch = 0;        // index within the phase
  int64_t batch = 0;        // number of steps done in this epoch
  int64_t epochs_done = 0;  // in all phases together

  // An Error refuses positions that a training of these options does not have. An epoch has
  // `batches` steps.
  void visit_state(nn::StateVisitor& visitor, const TrainOptions& options, int64_t batches);
};

// The position after `steps` steps in all.
Cursor cursor_after(int64_t steps, const TrainOptions& options, int64_t batches);

// Whether any step is left.
bool has_steps_left(const Cursor& at, const TrainOptions& options);

// Where the next step is: "in search epoch 3 of 10, batch 17 of 90", or "after training".
std::string place_of(const Cursor& at, const TrainOptions& options, int64_t batches);

}  // namespace spikenm::train
