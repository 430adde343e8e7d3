// Measures a finished model.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/evaluate.h"
#include "spikenm/train/recipe.h"

namespace spikenm::train {

// Builds the caches of a dataset and shows the progress.
void prepare_data(const data::Dataset& dataset);

// Measures on the test split: accuracy (top 1, top 5, by class), firing rates, SOPs and energy.
// Counts what is left: weight %, neuron %, conn % and the N:M audit. The weights must be masked
// already. The sink sees the test split in its order.
Json measure(Recipe& recipe, const sparsity::Masks& masks, const ScoreSink& sink = {});

}  // namespace spikenm::train
