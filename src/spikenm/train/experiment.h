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
  bool force = false;           // replace the run that is there
  bool take_over = false;       // from a process on another host
  bool over_leftovers = false;  // of a run that was killed before it began
  Display display;
};

// Trains as the config says and measures the finished model on the test split, once. Returns
// result.json.
Json run_experiment(const Config& config, const ExperimentOptions& options);

// Goes on with the run that options.out holds, from its newest checkpoint, as if it had never
// stopped. `asked` may differ from the run's config in few keys (resume_config.h). Returns
// result.json.
Json resume_experiment(const Config& asked, const ExperimentOptions& options);

// Whether the folder holds a run that has ended.
bool is_finished(const std::filesystem::path& folder);

}  // namespace spikenm::train
