// What a run should be doubted for, a sentence each: it ends, and its numbers may not mean what
// they seem to. The sentences go to the terminal and into result.json.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/train/recipe.h"

#include <string>
#include <vector>

namespace spikenm::train {

using Warnings = std::vector<std::string>;

// Before training: a method that its search is too short for, layers that the pattern leaves dense,
// patterns that keep all, epochs that no phase trains, classes without samples.
Warnings doubts_about_recipe(const Recipe& recipe);

// Of what measure() found: a loss above that of a constant answer, layers that never or always
// fire, classes without test samples.
Warnings doubts_about_result(const Recipe& recipe, const Json& measured);

// Of the training itself: more than half of its steps skipped, as half precision overflowed.
Warnings doubts_about_steps(int64_t steps, int64_t skipped);

// A line each on the terminal.
void say_warnings(const Warnings& warnings);

}  // namespace spikenm::train
