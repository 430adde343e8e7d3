// How much of its budget a run trains.
#pragma once

#include "spikenm/train/recipe.h"

namespace spikenm::train {

// The epochs of all phases that are listed; fewer than options.epochs where one is not.
int64_t trained_epochs(const TrainOptions& options);

// An Error when that is none.
void check_trained_epochs(const TrainOptions& options);

}  // namespace spikenm::train
