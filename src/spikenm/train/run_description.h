// The part of result.json that describes a run.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/train/recipe.h"

namespace spikenm::train {

// Method, pattern, data, model, device, seed and versions; `outcome` is what the method adds.
Json describe_run(Recipe& recipe, const Json& outcome);

}  // namespace spikenm::train
