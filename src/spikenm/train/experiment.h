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
  bool force = false;      // replace the run that is there
  bool take_over = false;  // from a process on another host
  std::string title;       // shown before the progress bar
};

// Trains as the config says and measures the finished model on the test split, once. Returns what
// result.json holds.
Json run_experiment(const Config& config, const ExperimentOptions& options);

// For a network whose weights are already masked: accuracy (top 1, top 5, by class), firing rates,
// SOPs and energy on the test split, weight %, neuron %, conn % and the N:M audit.
Json measure(Recipe& recipe, const sparsity::Masks& masks);

}  // namespace spikenm::train
