// How many epochs of its budget a run trains.
#pragma once

#include "spikenm/train/recipe.h"

namespace spikenm::train {

// The epochs of all listed phases; fewer than options.epochs if one is not listed.
int64_t trained_epochs(const TrainOptions& options);

// Throws Error if there are none.
void check_trained_epochs(const TrainOptions& options);

}  // namespace spikenm::train
