// How long a training step takes, part by part, and how long the bare convolutions take.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/train/recipe.h"

namespace spikenm::train {

struct StepBenchOptions {
  int64_t batch = 64, warmup = 5, steps = 12;
  int64_t classes = 10;
  bool events = false;  // frames differ from step to step
  bool search = false;  // the method draws, distils and trains its logits
  bool floor = false;   // also time the products alone
  // Also time the step in plain torch operations, alternating with ours; CPU only.
  bool plain = false;
  int64_t held = 0;  // bytes of GPU memory from before the model: not counted
};

// Random frames and labels. Times are medians in milliseconds after warm-up; a spread is the
// distance from the first to the third quartile.
Json bench_step(ModelRecipe& model, const StepBenchOptions& options);

}  // namespace spikenm::train
