// One run, from config to result.json.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/core/json.h"
#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/recipe.h"

#include <filesystem>
#include <string>

namespace spikenm::train {

struct ExperimentOptions {
  std::filesystem::path out;
  bool force = false;
  std::string title;  // stands before the progress bar
};

// Trains as the config says and measures the finished model on the test split, once. Gives
// result.json.
Json run_experiment(const Config& config, const ExperimentOptions& options);

// Accuracy (top 1, top 5, by class), firing rates, SOPs and energy on the test split, weight %,
// neuron
// %, conn % and the N:M audit of a network whose weights are masked already.
Json measure(Recipe& recipe, const sparsity::Masks& masks);

}  // namespace spikenm::train
