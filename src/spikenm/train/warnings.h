// Reasons to doubt a run, one sentence each: the run ends normally, but its numbers may not mean
// what they seem to. The sentences go to the terminal and into result.json.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/train/recipe.h"

#include <string>
#include <string_view>
#include <vector>

namespace spikenm::train {

using Warnings = std::vector<std::string>;

// Before training: a search that is too short for the method, layers that the pattern leaves dense,
// patterns that keep all weights, epochs that no phase trains, classes without samples.
Warnings doubts_about_recipe(const Recipe& recipe);

// About what measure() found: a loss above that of a constant answer, layers that never or always
// fire, targets of weights or connections that were missed, classes without test samples.
Warnings doubts_about_result(const Recipe& recipe, const Json& measured);

// About firing rates by layer (metrics::FiringRates): layers that never or always fire. `seen` says
// on which samples: "validation".
Warnings doubts_about_firing(const Json& rates, std::string_view seen);

// About the training: more than half of its steps were skipped because half precision overflowed.
Warnings doubts_about_steps(int64_t steps, int64_t skipped);

// Prints one line per warning to the terminal.
void say_warnings(const Warnings& warnings);

}  // namespace spikenm::train
