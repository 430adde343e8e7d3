// One run, from config to result.json.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/core/json.h"
#include "spikenm/train/trainer.h"

#include <filesystem>
#include <string>

namespace spikenm::train {

struct ExperimentOptions {
  std::filesystem::path out;
  bool force = false;           // replace the run in the folder
  bool take_over = false;       // use the folder even if a process on another host owns it
  bool over_leftovers = false;  // remove what a run left that was killed before training began
  Display display;
};

// Trains as the config says, then measures the finished model on the test split. Returns the
// content of result.json. If train.max_minutes end before the training does, the result has no
// measurement, but "unfinished": the place where training goes on.
Json run_experiment(const Config& config, const ExperimentOptions& options);

// Continues the run in the folder options.out from its newest checkpoint, as if it had never
// stopped. `asked` may differ from the run's config in a few keys (resume_config.h). Returns the
// content of result.json.
Json resume_experiment(const Config& asked, const ExperimentOptions& options);

// Whether the folder holds a run that is complete, with its result.json.
bool is_finished(const std::filesystem::path& folder);

}  // namespace spikenm::train
