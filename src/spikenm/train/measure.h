// What a finished model is measured by.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/recipe.h"

namespace spikenm::train {

// Builds the caches of a dataset, with a progress line.
void prepare_data(const data::Dataset& dataset);

// Accuracy (top 1, top 5, by class), firing rates, SOPs and energy on the test split, weight %,
// neuron %, conn % and the N:M audit of a network whose weights are masked already.
Json measure(Recipe& recipe, const sparsity::Masks& masks);

}  // namespace spikenm::train
